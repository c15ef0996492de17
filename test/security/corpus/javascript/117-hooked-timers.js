hookAll();
await new Promise((resolve) => setTimeout(resolve, 5));
queueMicrotask(() => {});
process.nextTick(() => {});
setImmediate(() => {});
setInterval(() => {}, 5);
setTimeout(() => {}, 60_000);
const controller = new AbortController();
controller.signal.addEventListener('abort', () => console.log('aborted'));
controller.abort();
// It would wait for its timers.
process.exit(0);
