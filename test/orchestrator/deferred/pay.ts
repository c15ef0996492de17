// Defers three payments by a program in a conversation that is kept in a directory. Once they are approved, it stops at a moment:
// before the first one is made (`approved`), while the second one is made (`paying`), or before it is stored that the first
// one was made (`paid`).
import { scriptedModel } from '../../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { ConversationStore } from '../../../src/orchestrator/store/conversation-store.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { STORES } from '../store/stores.ts';
import { openTill } from './till.ts';

const [kind, directory = '', sessionKey = '', moment] = process.argv.slice(2);
const store = STORES.find(({ name }) => name === kind)?.open(directory);
if (store === undefined) throw new Error(`There is no store ${kind}.`);
process.env['TMPDIR'] = directory;

/** Tells the test that it can kill this process. Never returns. */
async function stop(): Promise<never> {
  process.stdout.write('stopped\n');
  return new Promise(() => {});
}

const notStored = { approved: 'tool-call-started', paid: 'tool-call-ended' }[String(moment)];
const stopping: ConversationStore = {
  load: async (options) => store.load(options),
  hold: async (options) => store.hold(options),
  append: async (options) => {
    if (options.entries.some(({ type }) => type === notStored)) await stop();
    await store.append(options);
  },
};

const code = 'for amount in [1, 2, 3]: seen = await pay(amount=amount)';
const orchestrator = new ProgrammaticToolOrchestrator({
  model: scriptedModel([[{ type: 'tool-use', id: 'p', name: 'execute_code', input: { code } }]]),
  executor: { provider: unisolatedLocalProvider() },
  ...openTill(directory, async (amount) => {
    if (moment === 'paying' && amount === 2) await stop();
  }),
  sessionKey,
  store: stopping,
});
await orchestrator.run('Pay.');
