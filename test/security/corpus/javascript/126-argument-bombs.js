const outcomes = [];
async function send(value) {
  try {
    await echo({ value });
    outcomes.push('taken');
  } catch (error) {
    outcomes.push(error.type ?? error.name);
  }
}
let deep = {};
for (let depth = 0; depth < 50_000; depth += 1) deep = { deep };
const cyclic = {};
cyclic.cyclic = cyclic;
const widening = { toJSON: () => [widening, widening] };
const broken = {
  get it() {
    throw new Error('broken');
  },
};
const endless = new Proxy([], { get: (target, name) => (name === 'length' ? 2 ** 32 - 1 : 0) });
await send(deep);
await send(cyclic);
await send(widening);
await send(broken);
await send(endless);
await send(10n);
await send(NaN);
await send(() => {});
await send(new Array(200_000).fill(0));
await send(new Uint8Array(200_000));
console.log(outcomes.join(' '));
