import { expect, it } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type {
  ApprovalBatch,
  BatchDecision,
  BatchGrant,
} from '../../src/tools/policy/batches/approval-batch.ts';
import { ApprovalGrants } from '../../src/tools/policy/grants/approval-grants.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useExecutors } from '../sessions/support.ts';

const makeExecutor = useExecutors();

const PROGRAM = `import asyncio

async def one(amount):
    try:
        return await pay(amount=amount)
    except ToolError as error:
        return error.type

print(await asyncio.gather(*(one(amount) for amount in (1, 2, 3))))`;

interface Office {
  readonly tools: ToolRegistry;
  readonly policy: PolicyOptions;
  readonly batches: readonly ApprovalBatch[];
}

/**
 * A tool whose calls are asked together, and an approver that approves all of them.
 * @param grant - What it approves in advance.
 */
function openOffice(grant?: BatchGrant): Office {
  const batches: ApprovalBatch[] = [];
  const inputSchema = { type: 'object', properties: { amount: { type: 'number' } } } as const;
  const run = (input: unknown): unknown => (input as { readonly amount: number }).amount;
  return {
    tools: new ToolRegistry([{ name: 'pay', description: 'Pays.', inputSchema, run }]),
    policy: {
      rules: [{ tool: 'pay', action: 'ask', group: 'program' }],
      ...(grant && { grants: new ApprovalGrants() }),
      approver: {
        ask: async () => ({ approved: false, reason: 'alone' }),
        askBatch: async (batch, { check }): Promise<BatchDecision> => {
          batches.push(batch);
          const decision = { others: { approved: true }, ...(grant && { grant }) } as const;
          check(decision);
          return decision;
        },
      },
    },
    batches,
  };
}

const amountsOf = ({ requests }: ApprovalBatch): unknown[] =>
  requests.map(({ arguments: sent }) => (sent as { amount: number }).amount);

it('the approver of a run reads what the model wrote before its program', async () => {
  const { tools, policy, batches } = openOffice();
  const { executor } = makeExecutor({ tools });
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: scriptedModel([
      [
        { type: 'text', text: 'I pay all three.' },
        { type: 'tool-use', id: 'a', name: 'execute_code', input: { code: PROGRAM } },
        { type: 'text', text: 'And again.' },
      ],
      [{ type: 'tool-use', id: 'b', name: 'execute_code', input: { code: PROGRAM } }],
      [{ type: 'text', text: 'Done.' }],
    ]),
    executor,
    policy,
  });
  await orchestrator.run('Pay.');
  const program = { language: 'python', code: PROGRAM };
  expect(batches).toMatchObject([
    { program: { ...program, purpose: 'I pay all three.' } },
    { program: { ...program, purpose: undefined } },
  ]);
  expect(batches.map(amountsOf)).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect(batches.flatMap(({ requests }) => requests.map(({ line }) => line))).toEqual(
    Array.from({ length: 6 }, () => 5),
  );
});

it.each([
  ['', undefined],
  [', which its grant does not concern', { toolName: 'pay', calls: 5 }],
])(
  'the approver is not asked about calls of a batch that are more than maxToolCalls%s',
  async (_, grant) => {
    const { tools, policy, batches } = openOffice(grant);
    const { executor } = makeExecutor({ tools });
    await using orchestrator = new ProgrammaticToolOrchestrator({
      model: scriptedModel([
        [{ type: 'tool-use', id: 'a', name: 'execute_code', input: { code: PROGRAM } }],
        [{ type: 'text', text: 'Done.' }],
      ]),
      executor,
      policy,
      maxToolCalls: 2,
    });
    let printed = '';
    const onEvent = (event: { readonly type: string; readonly text?: string }): void => {
      if (event.type === 'output-delta') printed += event.text;
    };
    await expect(orchestrator.run('Pay.', { onEvent })).rejects.toMatchObject({
      code: 'RUN_LIMIT',
    });
    expect(batches.map(amountsOf)).toEqual([[1, 2]]);
    expect(printed).toContain("[1, 2, 'Rejected']");
  },
);

it.each([{}, { yieldAfterMs: 60_000 }])(
  'a code tool with %o passes on the purpose of a call',
  async (options) => {
    const { tools, policy, batches } = openOffice();
    const { executor } = makeExecutor({ tools });
    await using code = codeTool({ executor, policy, ...options });
    const purpose = 'I pay.';
    const { text } = await code.execute({ code: PROGRAM }, { purpose });
    expect(text).toContain('[1, 2, 3]');
    expect(batches).toMatchObject([{ program: { purpose }, requests: [{}, {}, {}] }]);
  },
);
