import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { AssistantBlock, ModelMessage } from '../../src/models/language-model.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { RunOptions } from '../../src/orchestrator/orchestrator-options.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { runs, says, uses } from '../orchestrator/support.ts';
import { describeWay, type Way } from './describe-way.ts';
import { PROGRAMS, type ProgramLanguage } from './programs.ts';
import { approver, LABELS, RULES, Shop } from './shop.ts';

/** Has the model of a conversation answer so, and then be done. @returns the results that it got. */
type Ask = (answer: readonly AssistantBlock[], options?: RunOptions) => Promise<string[]>;

function conversation(shop: Shop, policy: PolicyOptions, language?: ProgramLanguage): Ask {
  // Programs have the policy of the conversation here, and direct calls that of the executor.
  const own = language === undefined ? { policy } : { languages: [language] };
  let next: readonly AssistantBlock[] = [];
  const orchestrator = new ProgrammaticToolOrchestrator({
    model: scriptedModel(({ messages }) =>
      resultsIn(messages.at(-1)).length > 0 ? says('Done.') : next,
    ),
    executor: shop.executor(own),
    labels: LABELS,
    ...(language !== undefined && { policy }),
  });
  shop.closesLater(orchestrator);
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

const ways: Way = { hasEvents: true, withoutApprover: /^OPTION_INVALID$/, open: async () => ({}) };

for (const language of ['python', 'typescript', 'bash'] as const) {
  describeWay(`of a program in ${language} in a conversation`, {
    ...ways,
    language,
    open: async (shop, policy) => {
      const ask = conversation(shop, policy, language);
      return {
        run: async (code, onEvent) => String(await ask(runs(code, randomUUID()), { onEvent })),
      };
    },
  });
}

describeWay('of the model in a conversation', {
  ...ways,
  open: async (shop, policy) => {
    const ask = conversation(shop, policy);
    return {
      call: async (identifier, input, onEvent) =>
        String(await ask([uses(identifier, input as never, randomUUID())], { onEvent })),
    };
  },
});

it('a run makes no more calls than it may make, from programs and direct ones, and asks about no more', async () => {
  const shop = new Shop();
  const ask = conversation(shop, { rules: RULES, approver }, 'python');
  const { call } = PROGRAMS.python;
  const code = [call('shop:pay', { amount: 7 }), call('shop:sell', { amount: 2 })].join('\n');
  const more = [uses('shop_pay', { amount: 8 }, 'a'), uses('shop_sell', { amount: 1 }, 'b')];
  expect(await ask(runs(code), { maxToolCalls: 2 })).toHaveLength(1);
  expect(shop.ran).toHaveLength(1);
  const refusal = ask([...runs(code, 'c'), ...more], { maxToolCalls: 0 });
  await expect(refusal).rejects.toMatchObject({ code: 'RUN_LIMIT' });
  expect(shop.ran).toHaveLength(1);
  await shop.close();
});
