// Functions and objects of the runner, by the frames that it has on the stack.
const gained = [];
Error.prepareStackTrace = (error, sites) => {
  for (const site of sites) {
    const file = String(site.getFileName());
    if (/^<run \d+>$/.test(file)) continue;
    for (const part of [site.getThis(), site.getFunction()]) {
      if (part !== undefined && part !== globalThis && part !== null) gained.push(file);
    }
  }
  return 'taken';
};
function look() {
  return new Error('where').stack;
}
look();
[1].forEach(look);
setTimeout(look, 1);
JSON.stringify({ toJSON: look });
await echo({ value: { toJSON: look } });
await new Promise((resolve) => setTimeout(resolve, 5));
delete Error.prepareStackTrace;
await attempt({
  caller: () => (0, eval)('(function () { return arguments.callee.caller })')(),
  callee: () => Object.getOwnPropertyDescriptor(function () {}, 'caller')?.value ?? undefined,
});
console.log('gained', gained);
