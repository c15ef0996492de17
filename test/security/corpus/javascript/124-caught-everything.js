console.log('so far');
for (;;) {
  try {
    await new Promise((resolve) => setTimeout(resolve, 5));
  } catch {
    // Whatever it is.
  } finally {
    setTimeout(() => {}, 1e6);
  }
}
