/** Waits for work that never rejects, but not longer than a time. Resolves to whether it is over. */
export async function settledWithin(work: Promise<void>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeMs, false);
    timer.unref();
  });
  const isOver = await Promise.race([work.then(() => true), tooLong]);
  clearTimeout(timer);
  return isOver;
}
