// Many sessions at once, each of which is used now and then.

import { setTimeout as delay } from 'node:timers/promises';
import { availableBytes } from './memory.mjs';
import { quantile } from './statistics.mjs';

const SESSIONS = 200;
const STARTS_AT_ONCE = 4;
const INTERVAL_MS = 1000;

/** The 99th percentile of a run's duration, in ms, and what it all took. Any failure is thrown. */
export async function many({ executor, minutes, onProgress }) {
  const before = await availableBytes();
  const sessionIds = [];
  const starter = async () => {
    while (sessionIds.length < SESSIONS) {
      const index = sessionIds.push(undefined) - 1;
      const { sessionId } = await succeed(executor, 'count = 0', { reuseSession: true });
      sessionIds[index] = sessionId;
    }
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, starter));
  const takenMiB = (before - (await availableBytes())) / 1024 / 1024;
  onProgress(`${SESSIONS} sessions are open and take ${takenMiB.toFixed(0)} MiB`);
  const durations = [];
  const rounds = Math.max(1, Math.round((minutes * 60_000) / INTERVAL_MS));
  await Promise.all(
    sessionIds.map((sessionId, index) =>
      use({ executor, sessionId, rounds, durations, offsetMs: (index * INTERVAL_MS) / SESSIONS }),
    ),
  );
  await Promise.all(sessionIds.map((sessionId) => executor.closeSession(sessionId)));
  return {
    value: quantile(durations, 0.99),
    notes: [
      `${durations.length} runs, none failed; median ${quantile(durations, 0.5).toFixed(2)} ms, longest ${quantile(durations, 1).toFixed(1)} ms`,
      `${takenMiB.toFixed(0)} MiB of MemAvailable for ${SESSIONS} sessions`,
    ],
  };
}

async function use({ executor, sessionId, rounds, durations, offsetMs }) {
  const start = performance.now() + offsetMs;
  for (let round = 1; round <= rounds; round += 1) {
    await delay(Math.max(0, start + (round - 1) * INTERVAL_MS - performance.now()));
    const sent = performance.now();
    const result = await succeed(executor, 'count += 1\nprint(count)', { sessionId });
    durations.push(performance.now() - sent);
    if (result.stdout !== `${round}\n`) throw new Error(`Run ${round} printed ${result.stdout}`);
  }
}

async function succeed(executor, code, options) {
  const result = await executor.execute(code, options);
  if (!result.success) throw new Error(`A run failed: ${result.error?.message}`);
  return result;
}
