import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import { auditLog } from '../../support/audit-log.ts';
import { useBench } from '../../support/bench.ts';
import { connect, ERA_NAMES } from './support.ts';

const entries: AuditEntry[] = [];
const bench = useBench({
  audit: auditLog((entry) => void entries.push(entry)),
  toolList: [
    { name: 'hidden', description: 'Is for programs.', run: () => 1 },
    { name: 'take', description: 'Takes all.', allowedCallers: ['direct'], run: () => 1 },
  ],
});

/** Lists in lists, so many levels deep. */
const nested = (levels: number): unknown =>
  JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe.each(ERA_NAMES)('a call of a client of the revision %s', (era) => {
  it.each([
    ['none', 'none', 'UnknownTool'],
    ['hidden', 'hidden', 'NotAllowed'],
    ['x'.repeat(100_000), 'x'.repeat(128), 'UnknownTool'],
  ])(
    'of a tool that it does not have is refused and recorded: %.10s',
    async (name, toolName, outcome) => {
      entries.length = 0;
      const { client } = await connect(era, { executor: bench.executor, labels: { user: 'u-1' } });
      await expect(client.callTool({ name, arguments: { a: 1 } })).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('There is no tool of this name.'),
      });
      expect(entries).toMatchObject([
        { type: 'tool-call-ended', toolName, outcome, caller: 'direct', labels: { user: 'u-1' } },
      ]);
      expect(entries[0]).toMatchObject({ arguments: { a: 1 }, callId: expect.stringMatching(/./) });
    },
  );

  it.each(['take', 'execute_code'])(
    'of %s with deeply nested arguments is refused and recorded, and is not an error of the host',
    async (name) => {
      entries.length = 0;
      const errors: unknown[] = [];
      const onHostError = (error: unknown): void => void errors.push(error);
      const { client } = await connect(era, { executor: bench.executor, onHostError });
      const input = { code: 'print(1)', deep: nested(3000) };
      expect(await client.callTool({ name, arguments: input })).toMatchObject({
        isError: true,
        content: [{ text: 'InvalidArguments: arguments: it is nested more than 64 deep' }],
      });
      expect(errors).toEqual([]);
      expect(entries).toMatchObject([
        { type: 'tool-call-ended', toolName: name, outcome: 'InvalidArguments', caller: 'direct' },
      ]);
    },
  );
});
