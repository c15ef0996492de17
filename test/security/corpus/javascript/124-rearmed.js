let count = 0;
function again() {
  count += 1;
  console.log('late', count);
  setTimeout(again, 1);
  setImmediate(() => Promise.resolve().then(() => console.log('late')));
}
process.on('exit', again);
process.on('beforeExit', again);
process.nextTick?.(() => setTimeout(again, 20));
setTimeout(again, 20);
console.log('done');
