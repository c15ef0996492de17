// Which parts of the code have been reached, as counted by V8.

import { Session } from 'node:inspector/promises';

/**
 * Starts counting in this thread.
 * @param {(url: string) => boolean} isOfInterest - Which scripts count.
 */
export async function watchCoverage(isOfInterest) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** For each script an array with a 1 for each character that was reached. */
  const reached = new Map();

  /** What ran since the last call: for each function its characters, 1 for those that ran. */
  async function take() {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => isOfInterest(url))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges: [whole] }) => whole.count > 0)
          .map(({ ranges }) => ({ url, start: ranges[0].startOffset, ran: flatten(ranges) })),
      );
  }

  return {
    /** Whether new code ran since the last call. Does not remember it. */
    async hasMore() {
      return (await take()).some(({ url, start, ran }) =>
        ran.some((one, offset) => one === 1 && !reached.get(url)?.has(start + offset)),
      );
    },
    /** The same, but remembers it. */
    async remember() {
      let isNew = false;
      for (const { url, start, ran } of await take()) {
        const characters = reached.get(url) ?? new Set();
        const before = characters.size;
        ran.forEach((one, offset) => one === 1 && characters.add(start + offset));
        isNew ||= characters.size > before;
        reached.set(url, characters);
      }
      return isNew;
    },
    /** How many characters of code were reached. */
    size: () => [...reached.values()].reduce((sum, { size }) => sum + size, 0),
  };
}

/** Ranges are nested, the outer first. The innermost says whether a character ran. */
function flatten(ranges) {
  const [{ startOffset: start, endOffset: end }] = ranges;
  const ran = new Uint8Array(end - start);
  for (const { startOffset, endOffset, count } of ranges) {
    ran.fill(count > 0 ? 1 : 0, startOffset - start, endOffset - start);
  }
  return ran;
}
