console.log('so far');
function again() {
  Promise.resolve().then(again);
}
again();
