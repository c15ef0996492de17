console.log('so far');
for (let count = 0; count < 100; count += 1) setInterval(() => new Array(100), 0);
function again() {
  setImmediate(again);
}
await new Promise(again);
