const broken = () => {
  throw new Error('broken');
};
const before = [Array.prototype.find, Map.prototype.get, String.prototype.startsWith];
console.log('before', before.length);
Array.prototype.find = broken;
Map.prototype.get = broken;
Map.prototype.set = broken;
String.prototype.startsWith = broken;
String.prototype.replace = broken;
Array.prototype[Symbol.iterator] = broken;
await echo({ value: 1 });
