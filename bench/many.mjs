// Measures many simultaneous sessions, each of which is used now and then.

import { setTimeout as delay } from 'node:timers/promises';
import { someAtOnce } from './at-once.mjs';
import { availableBytes } from './memory.mjs';
import { quantile } from './statistics.mjs';

const INTERVAL_MS = 1000;

/**
 * The 99th percentile of a program's duration in ms, and the memory of all sessions. Throws any
 * failure.
 */
export async function many({ executor, minutes, sessions, onProgress }) {
  const before = await availableBytes();
  const opened = [];
  await someAtOnce(sessions, async () => {
    const session = await executor.acquire();
    await succeed(session, 'count = 0');
    opened.push(session);
  });
  const takenMiB = (before - (await availableBytes())) / 1024 / 1024;
  onProgress(`${sessions} sessions are open and take ${takenMiB.toFixed(0)} MiB`);
  const durations = [];
  const rounds = Math.max(1, Math.round((minutes * 60_000) / INTERVAL_MS));
  await Promise.all(
    opened.map((session, index) =>
      use({ session, rounds, durations, offsetMs: (index * INTERVAL_MS) / sessions }),
    ),
  );
  await someAtOnce(sessions, (index) => opened[index].release());
  const [middle, last] = [quantile(durations, 0.5), quantile(durations, 1)];
  return {
    value: quantile(durations, 0.99),
    notes: [
      `${durations.length} runs, none failed; median ${middle.toFixed(2)} ms, longest ${last.toFixed(1)} ms`,
      `${takenMiB.toFixed(0)} MiB of MemAvailable for ${sessions} sessions`,
    ],
  };
}

async function use({ session, rounds, durations, offsetMs }) {
  const start = performance.now() + offsetMs;
  for (let round = 1; round <= rounds; round += 1) {
    await delay(Math.max(0, start + (round - 1) * INTERVAL_MS - performance.now()));
    const sent = performance.now();
    const result = await succeed(session, 'count += 1\nprint(count)');
    durations.push(performance.now() - sent);
    if (result.stdout !== `${round}\n`) throw new Error(`Run ${round} printed ${result.stdout}`);
  }
}

async function succeed(session, code) {
  const result = await session.execute(code);
  if (!result.success) throw new Error(`A run failed: ${result.status}, ${result.error?.message}`);
  return result;
}
