const kept = [];
for (;;) kept.push(new Array(100_000).fill(kept.length));
