const broken = () => {
  throw new Error('broken');
};
console.log('before');
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
