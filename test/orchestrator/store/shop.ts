import type { AssistantBlock, ModelMessage } from '../../../src/models/language-model.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { converse, runs, says, uses } from '../support.ts';
import { MemoryStore } from './stores.ts';

/** Counts what it is asked for. */
export function shop(): { orders: string[]; toolList: ToolDefinition[] } {
  const orders: string[] = [];
  const order: ToolDefinition = {
    name: 'order',
    description: 'Orders something.',
    inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    allowedCallers: ['code', 'direct'],
    run: (input) => {
      const { item } = input as { item: string };
      orders.push(item);
      return `ordered ${item}`;
    },
  };
  return { orders, toolList: [order] };
}

/** Turns of a model that orders four things. */
export const BUYS: readonly AssistantBlock[][] = [
  [
    ...runs('await order("desk")\nawait order("lamp")\nprint("both")', 'p'),
    uses('order', { item: 'rug' }, 'd'),
  ],
  runs('kept = 1\nprint(await order("vase"))', 'q'),
  says('All are ordered.'),
];

/** All texts, one after the other. */
export const texts = (messages: readonly ModelMessage[]): string =>
  messages
    .flatMap(({ content }) => content.map((block) => ('text' in block ? block.text : '')))
    .join('\n');

/** The entries of a whole run. */
export async function wholeRun(): Promise<readonly ConversationEntry[]> {
  const store = new MemoryStore();
  const { toolList } = shop();
  await converse(BUYS, { toolList, store }).orchestrator.run('Buy.');
  return store.entries;
}
