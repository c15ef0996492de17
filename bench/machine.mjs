// What a figure depends on beside the code.

import { availableParallelism, cpus, loadavg } from 'node:os';

/** The machine as it is now. */
export function machineFacts() {
  return {
    processors: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    load: currentLoad(),
  };
}

/** How many processes wanted to run, on average over the last minute. */
export function currentLoad() {
  return loadavg()[0];
}
