// What the runner has left in the global scope: the way by which it enters a program.
console.log('before');
for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
  for (let time = 0; time < 3; time += 1) {
    try {
      globalThis[symbol]?.();
    } catch (error) {
      console.log(error.name);
    }
  }
}
console.log(await echo({ value: 'after' }));
