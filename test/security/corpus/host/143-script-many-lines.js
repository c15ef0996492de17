for (let count = 0; count < 100_000; count += 1) console.log('\u001b[31m');
console.log(await echo({ value: 'after' }));
