const calls = [];
for (let count = 0; count < 60; count += 1) calls.push(echo({ value: count }));
await new Promise(() => {});
