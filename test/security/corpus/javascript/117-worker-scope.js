const names = `Deno Worker SharedWorker BroadcastChannel MessageChannel MessagePort WebSocket WebSocketStream EventSource
  fetch Request Response XMLHttpRequest importScripts postMessage close onmessage onerror navigator location caches
  localStorage sessionStorage indexedDB alert confirm prompt reportError self name Deno.core __bootstrap Cache
  CacheStorage GPU createImageBitmap WorkerNavigator WorkerLocation queueMicrotaskUnsafe`;
console.log(
  names
    .trim()
    .split(/\s+/)
    .filter((name) => name in globalThis),
);
console.log(
  Object.getOwnPropertySymbols(globalThis).filter(
    (symbol) => typeof globalThis[symbol] === 'function',
  ),
);
console.log(Symbol.for('Deno.internal') in globalThis, typeof process.binding, typeof process.kill);
// What it can tell itself, it can lie about: these are the events by which the runner hears of errors.
globalThis.addEventListener('unhandledrejection', (event) => event.stopImmediatePropagation());
globalThis.dispatchEvent(new Event('message'));
globalThis.dispatchEvent(new Event('unhandledrejection', { cancelable: true }));
await new Promise(() => {});
