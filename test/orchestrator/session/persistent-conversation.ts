// Sets a variable in a conversation with a persistent session, prints the conversation's document, and stays until it is killed.
import { scriptedModel } from '../../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';

const [session = ''] = process.argv.slice(2);
const program = { type: 'tool-use', id: 'set', name: 'execute_code', input: { code: 'kept = 42' } };
const orchestrator = new ProgrammaticToolOrchestrator({
  model: scriptedModel([[program as never], [{ type: 'text', text: 'Set.' }]]),
  executor: { provider: 'docker' },
  sessionKey: session,
  persistent: true,
});
await orchestrator.run('Set it.');
process.stdout.write(`${JSON.stringify(orchestrator)}\n`);
setInterval(() => undefined, 1000);
