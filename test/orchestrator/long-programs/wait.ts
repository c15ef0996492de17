// Starts a long program in a conversation that is kept in a directory. Its model asks for nothing more while the program runs.
import { scriptedModel } from '../../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

const [directory = '', sessionKey = ''] = process.argv.slice(2);
process.env['TMPDIR'] = directory;

const called = createDeferred<readonly number[]>();
const gate = {
  name: 'gate',
  description: 'Is called with the processes of the program, and never returns.',
  inputSchema: { type: 'object', properties: { pids: { type: 'array' } } },
  run: async (input: unknown) => {
    called.resolve((input as { readonly pids: readonly number[] }).pids);
    return new Promise(() => {});
  },
};
const code = `
import os
print("begun", flush=True)
await gate(pids=[os.getppid(), os.getpid()])`;
const orchestrator = new ProgrammaticToolOrchestrator({
  model: scriptedModel([[{ type: 'tool-use', id: 'p', name: 'execute_code', input: { code } }]]),
  executor: { provider: unisolatedLocalProvider() },
  tools: [gate],
  sessionKey,
  store: fileStore({ directory }),
  yieldAfterMs: 1,
  prepareTurn: async ({ turn }) => {
    if (turn === 1) return undefined;
    process.stdout.write(`${JSON.stringify(await called.promise)}\n`);
    return new Promise(() => {});
  },
});
await orchestrator.run('Begin.');
