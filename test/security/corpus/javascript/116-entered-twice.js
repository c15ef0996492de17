// What the runner has left in the global scope: the way by which it enters a program.
console.log('before');
for (const key of Reflect.ownKeys(globalThis)) {
  if (typeof key === 'string' && /^\w+$/.test(key)) continue;
  for (let time = 0; time < 3; time += 1) {
    try {
      globalThis[key]?.();
    } catch (error) {
      console.log(error.name);
    }
  }
}
console.log(await echo({ value: 'after' }));
