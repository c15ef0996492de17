import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { auditLog } from '../support/audit-log.ts';
import { uniqueKey } from '../support/unique-key.ts';
import { MemoryStore } from './store/stores.ts';
import { texts } from './store/shop.ts';
import { converse, runs, says, uses } from './support.ts';

/** The model asks for 1000 each time, and the approver makes it 10. */
const policy: PolicyOptions = {
  rules: [{ tool: 'pay', action: 'ask' }],
  approver: async () => ({ approved: true, arguments: { amount: 10 } }),
};

const pay = {
  name: 'pay',
  description: 'Pays.',
  allowedCallers: ['code', 'direct'],
  inputSchema: {
    type: 'object',
    properties: { amount: { type: 'integer' } },
    required: ['amount'],
  },
  run: (input) => (input as { amount: number }).amount,
} satisfies ToolDefinition;

const CALLS = [
  ['a program', runs('await pay(amount=1000)')],
  ['the model itself', [uses('pay', { amount: 1000 })]],
] as const;

describe('the arguments that an approver gave for a call', () => {
  it.each(CALLS)('are what another process reads of a call by %s', async (_, use) => {
    const store = new MemoryStore();
    const begun = createDeferred<void>();
    const go = createDeferred<void>();
    const slow: ToolDefinition = {
      ...pay,
      run: async () => {
        begun.resolve();
        await go.promise;
      },
    };
    const settings = { store, policy, toolList: [slow], sessionKey: uniqueKey('edited') };
    const running = converse([use, says('Done.')], settings).orchestrator.run('Pay.');
    await begun.promise;
    const other = converse([], settings).orchestrator;
    await other.load();
    expect(texts(other.messages)).toContain('pay({"amount":10}): ');
    go.resolve();
    await running;
  });

  it('are what the model reads of the calls of a program whose interpreter ended', async () => {
    const { orchestrator, results } = converse(
      [runs('await pay(amount=1000)\nimport os\nos._exit(1)'), says('Stopped.')],
      { policy, toolList: [pay] },
    );
    await orchestrator.run('Pay.');
    expect(results(1)[0]?.text).toContain('pay({"amount":10}): done, 10');
  });

  it('are what the model reads of a deferred call', async () => {
    const { orchestrator, results } = converse([CALLS[0][1], says('Done.')], {
      policy,
      toolList: [{ ...pay, whenAsked: 'defer' }],
    });
    await orchestrator.run('Pay.');
    expect(results(1)[0]?.text).toContain('1. pay({"amount":10}): done, 10');
  });

  it.each(CALLS)('are in the audit entry of the end of a call by %s', async (_, use) => {
    const entries: (readonly [string, unknown])[] = [];
    const audit = auditLog((entry) => {
      if ('arguments' in entry) entries.push([entry.type, entry.arguments]);
    });
    const { orchestrator } = converse([use, says('Done.')], { policy, toolList: [pay], audit });
    await orchestrator.run('Pay.');
    expect(entries).toEqual([
      ['approval-requested', { amount: 1000 }],
      ['approval-decided', { amount: 10 }],
      ['tool-call-ended', { amount: 10 }],
    ]);
  });
});
