// Continues a stored conversation whose session is persistent by a program, one each time it is told to. Answers with
// what the model is told of the program.
import { scriptedModel } from '../../../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../../../src/orchestrator/orchestrator.ts';
import { fileStore } from '../../../../src/orchestrator/store/file/file-store.ts';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { whenTold } from '../../../support/when-told.ts';

const [directory = '', session = '', ...programs] = process.argv.slice(2);
const executor = new SandboxExecutor({ provider: 'docker' });
const store = fileStore({ directory });
whenTold(async () => {
  const input = { code: programs.shift() ?? '' };
  const model = scriptedModel([
    [{ type: 'tool-use', id: 'program', name: 'execute_code', input }],
    [{ type: 'text', text: 'Done.' }],
  ]);
  const options = { model, executor, store, sessionKey: session, persistent: true };
  const orchestrator = new ProgrammaticToolOrchestrator(options);
  await orchestrator.run('Go on.');
  await orchestrator.close();
  const content = orchestrator.messages.at(-2)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool-result' ? [block.text] : []));
});
