const text = "import('node:fs')";
const wait = (promise) =>
  Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 100))]);
await attempt({
  eval: () => eval(text),
  indirect: () => (0, eval)(text),
  Function: () => Function(`return ${text}`)(),
  AsyncFunction: () => (async () => {}).constructor(`return ${text}`)(),
  Generator: () => function* () {}.constructor(`yield ${text}`)().next().value,
  AsyncGenerator: () => async function* () {}.constructor(`yield ${text}`)().next(),
  // With no script of the program's on the stack.
  mapped: () => [text].map(eval)[0],
  resolved: () => Promise.resolve(text).then(eval),
  deferred: () =>
    Promise.resolve(`return ${text}`)
      .then(Function)
      .then((made) => made()),
  timer: () => wait(new Promise((resolve) => setTimeout(`globalThis.${text}`, 1, resolve))),
  handler: () => new EventTarget().addEventListener('x', text),
});
