// A thread that ends its process if one input takes too much processor time, or never ends.

import { workerData } from 'node:worker_threads';

const POLL_MS = 50;
/** If no processor time is used, the input waits for something that never happens. */
const IDLE_POLLS = 600;
const IDLE_MS = 5;

/** The number of the current input, its deadline in milliseconds, and the place for the reason. */
const { state } = workerData;
let tried = -1;
let startedMs = 0;
let lastMs = 0;
let idlePolls = 0;

setInterval(() => {
  const now = cpuMs();
  const isIdle = now - lastMs < IDLE_MS;
  lastMs = now;
  if (Atomics.load(state, 0) !== tried) {
    tried = Atomics.load(state, 0);
    startedMs = now;
    idlePolls = 0;
    return;
  }
  idlePolls = isIdle ? idlePolls + 1 : 0;
  const deadlineMs = Atomics.load(state, 1);
  // Without a deadline, no input is being tried.
  if (deadlineMs === 0) return;
  if (now - startedMs > deadlineMs || idlePolls > IDLE_POLLS) process.kill(process.pid, 'SIGKILL');
}, POLL_MS);

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
