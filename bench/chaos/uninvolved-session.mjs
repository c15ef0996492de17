// A session beside those whose processes are killed. It must not be affected.

import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 100;

/**
 * Uses its own session until it is stopped.
 * @returns A function that stops it, and throws what went wrong.
 */
export async function openUninvolvedSession(executor) {
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
        throw new Error(`An uninvolved session was affected: ${JSON.stringify(result)}`);
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
