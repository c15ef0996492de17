import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { useBench } from '../../support/bench.ts';
import { connect, ERA_NAMES, textOf } from './support.ts';

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const LENGTH = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const direct = { allowedCallers: ['direct'] } as const;
let heard = createDeferred<undefined>();
const bench = useBench({
  toolList: [
    {
      ...direct,
      name: 'text:length',
      description: 'Counts.',
      annotations: { readOnlyHint: true },
      inputSchema: TEXT,
      outputSchema: LENGTH,
      run: ({ text }: { text: string }) => ({ n: text === 'wrong' ? 'many' : text.length }),
    },
    {
      ...direct,
      name: 'shout',
      description: 'Shouts.',
      inputSchema: TEXT,
      outputSchema: { type: 'string' },
      run: ({ text }: { text: string }) => text.toUpperCase(),
    },
    {
      ...direct,
      name: 'count',
      description:
        'Reports how far it is, until the client has heard it, and then a smaller number.',
      run: async (_input: unknown, { progress }: ToolContext) => {
        progress({ progress: 2, total: 4, message: 'half' });
        await heard.promise;
        progress({ progress: 1 });
      },
    },
    { name: 'hidden', description: 'Is for programs.', run: () => 1 },
  ],
});

describe.each(ERA_NAMES)(
  'a tool with the caller direct, for a client of the revision %s',
  (era) => {
    it('is a tool of the server, with its schemas and hints', async () => {
      const { client } = await connect(era, { executor: bench.executor });
      const { tools } = await client.listTools();
      expect(tools).toMatchObject([
        { name: 'execute_code' },
        {
          ...{ name: 'text_length', description: 'Counts.', annotations: { readOnlyHint: true } },
          ...{ inputSchema: TEXT, outputSchema: LENGTH },
        },
        { name: 'shout', inputSchema: TEXT },
        { name: 'count' },
      ]);
      expect(tools[2]).not.toHaveProperty('outputSchema');
      expect(tools[2]).not.toHaveProperty('annotations');
    });

    it('returns its result, structured if it has a schema of objects', async () => {
      const { client } = await connect(era, { executor: bench.executor });
      const counted = await client.callTool({ name: 'text_length', arguments: { text: 'four' } });
      expect(counted).toMatchObject({ structuredContent: { n: 4 }, isError: false });
      expect(textOf(counted)).toBe('{"n":4}');
      const shouted = await client.callTool({ name: 'shout', arguments: { text: 'é' } });
      expect(shouted.structuredContent).toBeUndefined();
      expect(textOf(shouted)).toBe('"É"');
    });

    it('returns a long result cut, and keeps it in the session of the connection if that is open', async () => {
      const { client } = await connect(era, { executor: bench.executor, maxResultBytes: 1000 });
      const shout = { name: 'shout', arguments: { text: 'a'.repeat(2000) } };
      expect(textOf(await client.callTool(shout))).toContain('They are lost, because no session');
      const code = 'print("x" * 2000)';
      const printed = await client.callTool({ name: 'execute_code', arguments: { code } });
      expect(textOf(printed)).toContain('All of it is in /tmp/full-output/1.txt: ');
      const kept = textOf(await client.callTool(shout));
      expect(kept).toContain('All of it is in /tmp/full-output/2.txt: ');
      expect(kept.length).toBeLessThanOrEqual(1000);
    });

    it('fails with what is wrong with the arguments or the result', async () => {
      const { client } = await connect(era, { executor: bench.executor });
      const call = async (input: object): Promise<unknown> =>
        client.callTool({ name: 'text_length', arguments: { ...input } });
      expect(await call({})).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^InvalidArguments: .*text/) }],
      });
      expect(await call({ text: 'wrong' })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^InvalidResult: /) }],
      });
    });

    it('reports its progress to a client that asks for it, as long as it grows', async () => {
      const { client } = await connect(era, { executor: bench.executor });
      heard = createDeferred();
      const reports: unknown[] = [];
      const onprogress = (report: unknown): void => {
        reports.push(report);
        heard.resolve(undefined);
      };
      await client.callTool({ name: 'count', arguments: {} }, { onprogress });
      expect(reports).toEqual([{ progress: 2, total: 4, message: 'half' }]);
    });

    it('obeys the policy', async () => {
      const rules = [{ tool: 'shout', action: 'deny', reason: 'It is night.' }] as const;
      const { client } = await connect(era, { executor: bench.executor, policy: { rules } });
      expect(await client.callTool({ name: 'shout', arguments: { text: 'a' } })).toMatchObject({
        isError: true,
        content: [{ text: 'Denied: the policy denies it: It is night.' }],
      });
    });
  },
);
