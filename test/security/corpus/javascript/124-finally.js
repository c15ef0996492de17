console.log('so far');
function stay() {
  try {
    for (;;);
  } finally {
    stay();
  }
}
stay();
