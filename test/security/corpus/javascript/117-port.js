// The port to the supervisor, by the methods that a message calls on its way to the runner.
const gained = [];
for (const { prototype } of [
  EventTarget,
  Event,
  AbortSignal,
  Promise,
  TextDecoder,
  TextEncoder,
  WeakMap,
]) {
  for (const name of Reflect.ownKeys(prototype)) {
    const { value, configurable } = Reflect.getOwnPropertyDescriptor(prototype, name);
    if (typeof value !== 'function' || !configurable || name === 'constructor') continue;
    prototype[name] = function (...values) {
      for (const part of [this, ...values]) {
        const kind = Reflect.apply(Object.prototype.toString, part, []);
        if (/Port|MessageEvent|Deno/.test(kind)) gained.push(`${String(name)}: ${kind}`);
      }
      return Reflect.apply(value, this, values);
    };
  }
}
console.log(await echo({ value: 1 }), await echo({ value: 2 }), gained);
