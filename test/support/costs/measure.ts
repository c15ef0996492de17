// Loaded before each test file by `npm test -- --costs`: measures what the file costs.
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { StreamTransport } from '../../../src/protocol/stream-transport.ts';
import type { FileCost } from './costs.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What a test file cost. */
    cost?: FileCost;
  }
}

/** Linux counts the time of ended children in hundredths of a second. */
const TICKS_PER_SECOND = 100;

const runners = new WeakSet<StreamTransport>();
let sandboxes = 0;
// oxlint-disable-next-line typescript/unbound-method -- `countAndListen` passes `this` on
const { listen } = StreamTransport.prototype;
// Each sandbox has one transport, and somebody listens to it.
StreamTransport.prototype.listen = function countAndListen(this: StreamTransport, ...args): void {
  if (!runners.has(this)) sandboxes += 1;
  runners.add(this);
  listen.apply(this, args);
};

function now(): FileCost {
  const { user, system } = process.cpuUsage();
  // After the name of the program, which is in parentheses and may have spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const children = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  return {
    seconds: process.uptime(),
    processorSeconds: (user + system) / 1e6 + children,
    sandboxes,
  };
}

const START = Symbol.for('sandboxed-ptc.test-file-start');
const shared = globalThis as { [START]?: FileCost };
// A file that has its process for itself also pays for the start of the process.
const start = shared[START] ?? { seconds: 0, processorSeconds: 0 };

// oxlint-disable-next-line no-empty-pattern -- vitest accepts only a pattern as its first parameter
afterAll(({}, suite) => {
  const end = now();
  suite.file.meta.cost = {
    seconds: end.seconds - start.seconds,
    processorSeconds: end.processorSeconds - start.processorSeconds,
    sandboxes,
  };
  shared[START] = end;
});
