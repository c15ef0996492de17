console.log('before');
try {
  await Promise.all([
    (async () => {
      try {
        process.exit(3);
      } finally {
        process.exit(4);
      }
    })(),
    new Promise((resolve) => setTimeout(resolve, 1)),
  ]);
} catch {
  // Not even so.
}
await new Promise(() => {});
