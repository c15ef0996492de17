// A thread that ends its process where one input takes too much processor time, or never ends.

import { workerData } from 'node:worker_threads';

const POLL_MS = 50;
/** With no processor time used, an input waits for something that does not come. */
const IDLE_POLLS = 600;
const IDLE_MS = 5;

/** The number of the input that is tried, its deadline in milliseconds, and where the reason goes. */
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
  // No deadline: nothing is tried.
  if (deadlineMs === 0) return;
  if (now - startedMs > deadlineMs || idlePolls > IDLE_POLLS) process.kill(process.pid, 'SIGKILL');
}, POLL_MS);

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
