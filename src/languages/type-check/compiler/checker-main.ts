import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../shared/errors.ts';
import type { CheckReply, CheckRequest } from '../shared/check-messages.ts';
import { shortened, writeReply } from '../shared/check-reply.ts';
import { Lines } from '../shared/lines.ts';
import { COMPILER_LIMITS, PROCESS_BYTES } from '../shared/memory-limits.ts';

// The compiler's process. It compiles in a thread, so that its main thread can always end the
// process: when its input ends because the host has ended, and when it uses too much memory.

/** How often memory is measured while a program is checked. */
const MEMORY_INTERVAL_MS = 20;

/** At once, whatever the other thread is doing. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function send(reply: CheckReply): void {
  clearInterval(watch);
  process.stdout.write(`${writeReply(reply)}\n`);
}

function watchMemory(): NodeJS.Timeout {
  return setInterval(() => {
    if (process.memoryUsage.rss() > PROCESS_BYTES) end();
  }, MEMORY_INTERVAL_MS);
}

let watch = watchMemory();
const thread = new Worker(
  new URL(`./compiler-thread${extname(import.meta.url)}`, import.meta.url),
  { resourceLimits: COMPILER_LIMITS },
);
thread.on('message', send);
thread.on('error', (error) => {
  process.stdout.write(`${writeReply({ end: shortened(messageOf(error)) })}\n`, end);
});
const lines = new Lines(Number.POSITIVE_INFINITY);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  for (const line of lines.add(text) ?? []) {
    watch = watchMemory();
    thread.postMessage(JSON.parse(line) as CheckRequest);
  }
});
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdout.on('error', end);
