console.log({}.polluted, typeof forbidden, typeof never_answer);
try {
  await echo(JSON.parse('{"value":{"__proto__":{"polluted":1}}}'));
} catch (error) {
  console.log(error.type);
}
try {
  await forbidden?.({});
} catch (error) {
  console.log(error.name);
}
for (const name of ['constructor', '__proto__', 'toString']) {
  const value = await echo({
    value: { constructor: { prototype: { polluted: 1 } }, [name + '2']: name },
  });
  console.log({}.polluted, value.constructor.prototype.polluted);
}
