// Work of which some is under way at a time.

/** As many as a pool starts at once; an engine that is asked for more slows down. */
export const AT_ONCE = 4;

/** Does `work` so many times, with the number of each, `AT_ONCE` at a time. */
export async function someAtOnce(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
