// Runs pieces of work, several at the same time.

/** As many as a pool starts at the same time. An engine that is asked for more becomes slower. */
export const AT_ONCE = 4;

/** Calls `work` this many times, each with its number, `AT_ONCE` at the same time. */
export async function someAtOnce(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
