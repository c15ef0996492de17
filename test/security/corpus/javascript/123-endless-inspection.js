console.log('so far');
({
  [Symbol.for('nodejs.util.inspect.custom')]() {
    for (;;);
  },
});
