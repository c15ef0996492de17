const broken = () => {
  throw new Error('broken');
};
console.log('before');
// Node itself calls some of the methods after a job.
process.nextTick(() => {});
for (const prototype of [
  Map.prototype,
  String.prototype,
  RegExp.prototype,
  Promise.prototype,
  Array.prototype,
]) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (typeof Object.getOwnPropertyDescriptor(prototype, name).value === 'function') {
      prototype[name] = broken;
    }
  }
}
Array.prototype[Symbol.iterator] = broken;
Map.prototype[Symbol.iterator] = broken;
