import { parentPort } from 'node:worker_threads';
import type { CheckRequest } from './check-messages.ts';
import { Compiler } from './compiler.ts';

// The thread of the type checker: answers one request after the other.
const compiler = new Compiler();
const warmUp = { code: 'const warm = await Promise.all([1].map(async (n) => n));', typed: true };
compiler.check({ ...warmUp, tools: '', session: 0, modules: [], hasUnknownNames: false });

parentPort?.on('message', (request: CheckRequest) => {
  try {
    parentPort?.postMessage({ answer: compiler.check(request) });
  } catch (error) {
    // Deeper than the stack, or a fault of the compiler's: the program is not to suffer for it.
    parentPort?.postMessage({ failure: String(error) });
  }
});
parentPort?.postMessage('ready');
