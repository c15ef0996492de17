import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../../shared/errors.ts';
import type { CheckReply, CheckRequest } from '../shared/check-messages.ts';
import { shortened } from '../shared/check-reply.ts';
import { Compiler } from './compiler.ts';

// The compiler's thread. It answers one request after another.
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
    // A program nested too deeply for the stack, or a bug of the compiler, which must not affect
    // the program.
    reply({ failure: shortened(messageOf(error)) });
  }
});
reply({ ready: true });
