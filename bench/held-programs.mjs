// Measures many programs that are held, each of which waits for the answer to a call.

import { setTimeout as delay } from 'node:timers/promises';
import { defineRemoteTool } from '../dist/index.js';
import { someAtOnce } from './at-once.mjs';
import { collectGarbage } from './memory.mjs';
import { processorTime } from './statistics.mjs';

const MEBIBYTE = 1024 * 1024;
const WATCHED_MS = 5000;
const CODE = 'print(await answered())';

/**
 * The memory that each takes in this process, beside its session, in MiB. The notes say how long this
 * process works while they wait.
 */
export async function heldPrograms({ executor, sessions, onProgress }) {
  const remote = defineRemoteTool({ name: 'answered', description: 'Is answered at the end.' });
  const opened = [];
  await someAtOnce(sessions, async () => {
    const session = await executor.acquire({ tools: [remote] });
    await (await session.start('1')).next();
    opened.push(session);
  });
  onProgress(`${sessions} sessions are open`);
  try {
    const before = await ownBytes();
    const programs = await Promise.all(opened.map(async (session) => session.start(CODE)));
    const steps = await Promise.all(programs.map(async (program) => program.next()));
    const bytes = (await ownBytes()) - before;
    const idle = await processorTime(async () => delay(WATCHED_MS));
    await Promise.all(
      programs.map(async (program, index) => {
        const [call] = steps[index].calls;
        program.answer(call.callId, { result: 1 });
        const { result } = await program.next();
        if (result?.stdout !== '1\n') throw new Error(`A program ended so: ${result?.status}`);
      }),
    );
    return {
      value: bytes / sessions / MEBIBYTE,
      notes: [
        `${sessions} programs that wait take ${(bytes / MEBIBYTE).toFixed(1)} MiB of this process`,
        `${idle.toFixed(1)} ms of its processor time in ${WATCHED_MS / 1000} s, in which nothing happens`,
      ],
    };
  } finally {
    await Promise.all(opened.map(async (session) => session.release()));
  }
}

/** What this process has allocated and not freed. */
async function ownBytes() {
  await collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
