import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { AssistantBlock, ModelMessage } from '../../src/models/language-model.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { RunOptions } from '../../src/orchestrator/orchestrator-options.ts';
import type { LanguageName } from '../../src/protocol/messages.ts';
import { WAY_PROGRAMS } from '../../src/testing/policy/programs.ts';
import { approverOf, RULES } from '../../src/testing/policy/rules.ts';
import { BUDGETS, LABELS, Shop } from '../../src/testing/policy/shop.ts';
import type { WayParts } from '../../src/testing/policy/way.ts';
import { runs, says, uses } from '../orchestrator/support.ts';
import { closedWith, describeWay, executorOf } from './describe-way.ts';

/** Has the model of a conversation answer so, and then be done. @returns the results that it got. */
type Ask = (answer: readonly AssistantBlock[], options?: RunOptions) => Promise<string[]>;

function conversation(parts: WayParts, language?: LanguageName): Ask {
  const { labels, policy } = parts;
  // Programs have the policy of the conversation here, and direct calls that of the executor.
  const own = language === undefined ? { policy } : { languages: [language] };
  let next: readonly AssistantBlock[] = [];
  const orchestrator = new ProgrammaticToolOrchestrator({
    model: scriptedModel(({ messages }) =>
      resultsIn(messages.at(-1)).length > 0 ? says('Done.') : next,
    ),
    executor: executorOf(parts, own),
    labels,
    ...(language !== undefined && { policy }),
  });
  closedWith(parts, orchestrator);
  return async (answer, options) => {
    next = answer;
    const { messages } = await orchestrator.run('Go on.', options);
    return resultsIn(messages.at(-2));
  };
}

function resultsIn(message: ModelMessage | undefined): string[] {
  const blocks = message?.content ?? [];
  return blocks.flatMap((block) => (block.type === 'tool-result' ? [block.text] : []));
}

for (const language of ['python', 'typescript', 'javascript', 'bash'] as const) {
  describeWay({
    name: `a program in ${language} in a conversation`,
    language,
    hasEvents: true,
    open: async (parts) => {
      const ask = conversation(parts, language);
      return {
        run: async (code, onEvent) => String(await ask(runs(code, randomUUID()), { onEvent })),
      };
    },
  });
}

describeWay({
  name: 'the model in a conversation',
  hasEvents: true,
  open: async (parts) => {
    const ask = conversation(parts);
    return {
      call: async (identifier, input, onEvent) =>
        String(await ask([uses(identifier, input as never, randomUUID())], { onEvent })),
    };
  },
});

it('a run makes no more calls than it may make, from programs and direct ones, and asks about no more', async () => {
  const shop = new Shop();
  const { tools, audit } = shop;
  const parts: WayParts = {
    ...{ tools, audit, budgets: BUDGETS, labels: LABELS },
    policy: { rules: RULES, approver: approverOf(() => {}) },
    onClose: (close) => onTestFinished(async () => void (await close())),
  };
  const ask = conversation(parts, 'python');
  const { call } = WAY_PROGRAMS.python;
  const code = [call('shop:pay', { amount: 7 }), call('shop:sell', { amount: 2 })].join('\n');
  const more = [uses('shop_pay', { amount: 8 }, 'a'), uses('shop_sell', { amount: 1 }, 'b')];
  expect(await ask(runs(code), { maxToolCalls: 2 })).toHaveLength(1);
  expect(shop.ran).toHaveLength(1);
  const refusal = ask([...runs(code, 'c'), ...more], { maxToolCalls: 0 });
  await expect(refusal).rejects.toMatchObject({ code: 'RUN_LIMIT' });
  expect(shop.ran).toHaveLength(1);
});
