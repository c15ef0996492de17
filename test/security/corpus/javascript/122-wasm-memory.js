const kept = [];
for (;;) {
  const memory = new WebAssembly.Memory({ initial: 256 });
  new Uint8Array(memory.buffer).fill(1);
  kept.push(memory);
}
