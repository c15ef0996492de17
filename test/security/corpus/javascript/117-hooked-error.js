hookAll();
await echo({ value: 1 });
class Own extends Error {
  get [Symbol.toStringTag]() {
    return 'Own';
  }
}
throw new Own('the end', { cause: new TypeError('the cause') });
