import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import { useBench } from '../../support/bench.ts';
import { connect, ERA_NAMES } from './support.ts';

const entries: AuditEntry[] = [];
const bench = useBench({
  audit: {
    record: (entry) => void entries.push(entry),
    ready: () => undefined,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  },
  toolList: [{ name: 'hidden', description: 'Is for programs.', run: () => 1 }],
});

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
});
