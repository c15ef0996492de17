// A session beside those that are struck, which must not notice.

import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 100;

/**
 * Uses a session of its own until it is told to stop.
 * @returns what stops it, and throws what it noticed.
 */
export async function openBystander(executor) {
  const session = await executor.acquire();
  await session.execute('count = 0');
  const ending = new AbortController();
  let turns = 0;
  async function goOn() {
    while (!ending.signal.aborted) {
      turns += 1;
      const code = 'count += 1\nprint(await add(a=count, b=0))';
      const result = await session.execute(code);
      if (result.stdout !== `${turns}\n`) {
        throw new Error(`A session beside the others was disturbed: ${JSON.stringify(result)}`);
      }
      await delay(PAUSE_MS);
    }
  }
  const going = goOn();
  going.catch(() => {});
  return {
    async stop() {
      ending.abort();
      await going;
      await session.release();
      return turns;
    },
  };
}
