// Buys two things by a program in a conversation that is kept in a directory. The second order never comes to its end.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { STORES } from './stores.ts';

const [kind, directory = '', session = ''] = process.argv.slice(2);
const store = STORES.find(({ name }) => name === kind)?.open(directory);
if (store === undefined) throw new Error(`There is no store ${kind}.`);
process.env['TMPDIR'] = directory;

const order = {
  name: 'order',
  description: 'Orders something.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
  run: async (input: unknown) => {
    const { item } = input as { item: string };
    appendFileSync(path.join(directory, 'orders.txt'), `${item}\n`);
    if (item === 'desk') return 'ordered';
    process.stdout.write('ordering\n');
    return new Promise(() => {});
  },
};
const code = 'print(await order("desk"))\nprint(await order("piano"))';
const orchestrator = new ProgrammaticToolOrchestrator({
  model: scriptedModel([[{ type: 'tool-use', id: 'p', name: 'execute_code', input: { code } }]]),
  executor: { provider: unisolatedLocalProvider() },
  tools: new ToolRegistry([order]),
  sessionKey: session,
  store,
});
await orchestrator.run('Buy a desk and a piano.');
