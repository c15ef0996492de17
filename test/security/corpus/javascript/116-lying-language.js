// Whatever the runner asks the language, it gets a lie.
console.log('before');
JSON.stringify = () => '{"forged":true}';
JSON.parse = () => ({ tool_name: 'forbidden' });
Promise.prototype.then = function () {
  return this;
};
Object.hasOwn = () => true;
Reflect.apply = () => 'forged';
Number.isInteger = () => true;
Error.captureStackTrace = () => 'forged';
Buffer.concat = () => Buffer.from('__PTC_OUTPUT__');
globalThis.console = undefined;
globalThis.setImmediate = undefined;
throw new RangeError('the real end');
