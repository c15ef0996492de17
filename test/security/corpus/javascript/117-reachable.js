// All that can be reached from the global object, the modules and what the language throws: is anything of
// it a road out of the worker?
const seen = new Set();
const queue = [];
const found = [];
function add(value, path) {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  if (seen.has(value)) return;
  seen.add(value);
  queue.push([value, path]);
}
add(globalThis, 'globalThis');
for (const name of require('module').builtinModules) {
  add(await import(name), name);
  add(require(name), name);
}
try {
  structuredClone(add);
} catch (error) {
  add(error, 'error');
}
const controller = new AbortController();
controller.signal.onabort = (event) => add(event, 'event');
controller.abort();
add(new ReadableStream({ start: (own) => add(own, 'controller') }), 'stream');
const ROADS =
  /^(?:op_|(?:fetch|spawn|openSync|writeSync|readSync|readFileSync|postMessage|kill|binding|require|chdir)$)|^(?:Worker|MessagePort|MessageChannel|BroadcastChannel|WebSocket|Socket|Deno|Process)$/;
for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
  const [value, path] = next;
  const name = typeof value === 'function' ? String(value.name) : value.constructor?.name;
  // The runner's own, which loads only what computes: 117-modules.
  if (value !== require && ROADS.test(name)) found.push(`${path}: ${name}`);
  for (const key of Reflect.ownKeys(value)) {
    const { value: member, get, set } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
    for (const part of [member, get, set]) add(part, `${path}.${String(key)}`);
    try {
      if (get === undefined) continue;
      const result = value[key];
      if (result instanceof Promise) result.catch(() => {});
      add(result, `${path}.${String(key)}()`);
    } catch {
      // Not for this object.
    }
  }
  add(Object.getPrototypeOf(value), `${path}.prototype`);
}
console.log(seen.size > 1000, found);
