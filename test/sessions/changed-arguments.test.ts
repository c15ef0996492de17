import { expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/entry.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { useExecutors } from './support.ts';
import { auditLog } from '../support/audit-log.ts';

const makeExecutor = useExecutors();

/** A tool that changes the arguments that it got, and adds something that is not JSON. */
function payTool(changes: Partial<ToolDefinition>): ToolDefinition {
  return {
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object', properties: { amount: { type: 'integer' } } },
    run: (input) => {
      Object.assign(input as object, { amount: 2n, key: 'secret' });
      return 'paid';
    },
    ...changes,
  };
}

it.each([
  ['at once', {}],
  ['at the end of its program', { whenAsked: 'defer' }],
] as const)(
  'the audit log has the arguments that a program sent, not what the tool made of them %s',
  async (_, changes) => {
    const sent: string[] = [];
    const record = (entry: AuditEntry): void => {
      if (entry.type === 'tool-call-ended') sent.push(JSON.stringify(entry.arguments));
    };
    const audit = auditLog(record);
    const { executor } = makeExecutor({
      tools: [payTool(changes)],
      policy: {
        rules: [{ tool: 'pay', action: 'ask', reason: 'money' }],
        approver: async () => ({ approved: true }),
      },
      audit,
    });
    expect(await executor.execute('await pay(amount=1)')).toMatchObject({ status: 'ok' });
    expect(sent).toEqual(['{"amount":1}']);
  },
);
