import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../shared/errors.ts';
import type { CheckReply, CheckRequest } from './check-messages.ts';
import { shortened } from './check-reply.ts';
import { Compiler } from './compiler.ts';

// The thread of the compiler: answers one request after the other.
const compiler = new Compiler();
const warmUp = { code: 'const warm = await Promise.all([1].map(async (n) => n));', typed: true };
compiler.check({ ...warmUp, tools: '', session: 0, modules: [], hasUnknownNames: false });

function reply(value: CheckReply): void {
  parentPort?.postMessage(value);
}

parentPort?.on('message', (request: CheckRequest) => {
  try {
    reply({ answer: compiler.check(request) });
  } catch (error) {
    // Deeper than the stack, or a fault of the compiler's: the program is not to suffer for it.
    reply({ failure: shortened(messageOf(error)) });
  }
});
reply({ ready: true });
