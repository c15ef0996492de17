console.log('so far');
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection']) {
  process.on(name, () => console.log('caught', name));
}
process.on('SIGINT', () => {
  for (;;);
});
for (;;);
