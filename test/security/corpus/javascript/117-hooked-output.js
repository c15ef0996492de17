hookAll();
console.log('text', { a: [1, new Map([[1, 2]])] });
process.stdout.write(new Uint8Array([65, 10]));
process.stdout.write(new Uint16Array([0x0a42]));
console.log('x'.repeat(600_000).length);
process.stdout.write(`${'y'.repeat(600_000)}\n`);
console.error('error');
