// Off the heap of the language.
const kept = [];
for (;;) kept.push(new Uint8Array(2 ** 24).fill(1));
