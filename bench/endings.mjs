// Measures how long it takes until a caller that stops a program, or closes its session, regains
// control.

import { quantile, timed } from './statistics.mjs';

const SAMPLES = { heeds: 100, stuck: 20, kill: 100 };

const WAITS = 'import asyncio\nawait begun()\nwhile True: await asyncio.sleep(0.001)';
const STUCK = `while True:
    try:
        await begun()
        while True: pass
    except BaseException: pass`;

/** From an abort to the result, if the program reacts to the interrupt. */
export async function stop({ executor }) {
  const session = await executor.acquire();
  await session.execute('1');
  const times = [];
  for (let sample = 0; sample < SAMPLES.heeds; sample += 1) {
    times.push(await abortTime(session, WAITS));
  }
  await session.release();
  return summary(times);
}

/**
 * The same if it ignores the interrupt: its interpreter is ended after the grace period of one
 * second.
 */
export async function stopStuck({ executor }) {
  const times = [];
  for (let sample = 0; sample < SAMPLES.stuck; sample += 1) {
    times.push(await abortTime(executor, STUCK));
  }
  return summary(times);
}

/**
 * From closing a session to the verified end of its sandbox, while a program runs that ignores
 * everything.
 */
export async function kill({ executor }) {
  const times = [];
  for (let sample = 0; sample < SAMPLES.kill; sample += 1) {
    const session = await executor.acquire();
    await session.execute('1');
    const running = await begin(session, STUCK);
    times.push(await timed(() => session.destroy()));
    await running.result;
  }
  return summary(times);
}

/** `place` is a session, or an executor, which gives the program its own sandbox. */
async function abortTime(place, code) {
  const controller = new AbortController();
  const running = await begin(place, code, { signal: controller.signal });
  return timed(async () => {
    controller.abort();
    const { status } = await running.result;
    if (status !== 'cancelled') throw new Error(`An aborted program has the status ${status}.`);
  });
}

/** Starts a program and waits until it runs. */
async function begin(place, code, options) {
  let onBegun;
  const begun = new Promise((resolve) => {
    onBegun = resolve;
  });
  const onEvent = ({ type }) => type === 'tool-call-ended' && onBegun();
  const result = place.execute(code, { ...options, onEvent });
  await Promise.race([begun, result]);
  return { result };
}

function summary(times) {
  const median = quantile(times, 0.5).toFixed(1);
  return { value: quantile(times, 0.99), notes: [`${times.length} times, median ${median} ms`] };
}
