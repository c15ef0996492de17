// The facts of the machine on which a figure depends.

import { availableParallelism, cpus, loadavg } from 'node:os';

/** The current state of the machine. */
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
