// A process that runs one program by `execute()` and one in a run of a conversation, each with a tool call, and prints which
// files of src had a function that was called meanwhile.
import { Session } from 'node:inspector/promises';
import { z } from 'zod';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

const SOURCE: string = new URL('../../src/', import.meta.url).href;
const CODE = 'print(await add_one(to=1))';

const addOne = defineTool({
  name: 'add_one',
  description: 'Adds one.',
  inputSchema: z.object({ to: z.number() }),
  run: ({ to }) => to + 1,
});

const inspector: Session = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The files of src, without `src/`, whose functions are called by `work`. */
async function crossedBy(work: () => Promise<unknown>): Promise<string[]> {
  await inspector.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  return (
    result
      .filter(({ url }) => url.startsWith(SOURCE))
      // The function without a name is the module itself.
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count !== 0),
      )
      .map(({ url }) => url.slice(SOURCE.length))
  );
}

await using executor = new SandboxExecutor({
  provider: unisolatedLocalProvider(),
  tools: [addOne],
});
const execute = await crossedBy(() => executor.execute(CODE));
const model = scriptedModel([
  [{ type: 'tool-use', id: 'a', name: 'execute_code', input: { code: CODE } }],
  [{ type: 'text', text: 'It is 2.' }],
]);
await using conversation = new ProgrammaticToolOrchestrator({ executor, model });
const run = await crossedBy(() => conversation.run('What is 1 + 1?'));
console.log(JSON.stringify({ execute, run }));
