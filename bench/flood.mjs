// Measures whether a program that prints endlessly costs the host memory or disk space.

import { findEngine } from '../dist/providers/docker/engine/engine.js';
import { LABELS } from '../dist/providers/docker/container/container-config.js';
import { collectGarbage } from './memory.mjs';
import { timed } from './statistics.mjs';

const MEGABYTE = 1_000_000;
const SAMPLE_INTERVAL_MS = 20;
const HEAD = 'the first line';
const TAIL = 'the last line';

/** How much the memory of this process grows while a program prints 1 GB, in MB. */
export async function flood({ provider, session }) {
  // Runs once first, so that compiled code does not count.
  await print(session, 50);
  await collectGarbage();
  const before = process.memoryUsage.rss();
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, SAMPLE_INTERVAL_MS);
  let result;
  const durationMs = await timed(async () => {
    result = await print(session, 1000);
  });
  clearInterval(sampling);
  const kept = result.stdout.startsWith(`${HEAD}\n`) && result.stdout.endsWith(`${TAIL}\n`);
  if (!kept || !result.truncated)
    throw new Error('The head and the tail of a flood were not kept.');
  const { length } = result.stdout;
  result = undefined;
  await collectGarbage();
  const after = process.memoryUsage.rss() - before;
  highest = Math.max(highest, before + after);
  return {
    value: (highest - before) / MEGABYTE,
    notes: [
      `after garbage collection ${(after / MEGABYTE).toFixed(1)} MB; head and tail kept, ${length} characters`,
      `${(1000 / (durationMs / 1000)).toFixed(0)} MB/s`,
      ...(provider.name === 'docker' ? [await describeLog(session.id)] : []),
    ],
  };
}

async function print(session, megabytes) {
  const code = `
import sys
block = ("x" * 999 + "\\n") * 1000
print(${JSON.stringify(HEAD)})
for _ in range(${megabytes}): sys.stdout.write(block)
print(${JSON.stringify(TAIL)})`;
  const result = await session.execute(code, { timeoutMs: 900_000 });
  if (!result.success) throw new Error(`The flood failed: ${result.error?.message}`);
  return result;
}

/** Inspects the container: how it was created, and where its log would be. */
async function describeLog(sessionId) {
  const engine = await findEngine(undefined);
  try {
    const filters = { label: [`${LABELS.session}=${sessionId}`] };
    const [container] = await engine.docker.listContainers({ filters });
    const { LogPath, HostConfig } = await engine.docker.getContainer(container.Id).inspect();
    const { Type } = HostConfig.LogConfig;
    if (LogPath !== '' || Type !== 'none')
      throw new Error(`The engine logs to ${LogPath} (${Type}).`);
    return 'the engine keeps no log: inspected, the log driver is "none" and LogPath is empty';
  } finally {
    engine.close();
  }
}
