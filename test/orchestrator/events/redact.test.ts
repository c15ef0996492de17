import { describe, expect, it, vi } from 'vitest';
import type { RedactFunction } from '../../../src/orchestrator/events/event-redaction.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { converse, refusalOf, runs, says, uses, type Conversation } from '../support.ts';

const SECRET = 'hunter2';

const got: unknown[] = [];
const toolList: ToolDefinition[] = [
  {
    name: 'log_in',
    description: 'Logs in.',
    inputSchema: { type: 'object', properties: { password: { type: 'string' } } },
    allowedCallers: ['code', 'direct'],
    run: (input) => {
      got.push(input);
      return { welcome: true, echo: input };
    },
  },
  {
    name: 'fail',
    description: 'Fails.',
    run: (_input, { progress }) => {
      progress({ progress: 1, message: `Trying ${SECRET}` });
      throw new Error(`bad password ${SECRET}`);
    },
  },
];

/** Changes what it is given too, which nobody else must see. */
const redact: RedactFunction = (value, { part }) => {
  if (part === 'arguments') return Object.assign(value as object, { password: '***' });
  return String(value).replaceAll(SECRET, '***');
};

const SCRIPT = [
  runs(`await log_in(password="${SECRET}")\nawait fail()`),
  [uses('log_in', { password: SECRET })],
  says('Done.'),
];

async function eventsOf({ orchestrator }: Conversation): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  await orchestrator.run('Go.', { onEvent: (event) => events.push(event) });
  // The result of a program and of a run is what it is.
  return events.filter(({ type }) => type !== 'program-ended' && type !== 'run-ended');
}

describe('the option `redact`', () => {
  it('decides what events tell of arguments, results, progress and errors, and changes nothing else', async () => {
    got.length = 0;
    const conversation = converse(SCRIPT, { toolList, redact });
    const events = await eventsOf(conversation);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    const hidden = { password: '***' };
    const result = { result: expect.stringContaining('"welcome":true') };
    expect(events.filter(({ type }) => type === 'program-started')).toMatchObject([
      { code: 'await log_in(password="***")\nawait fail()' },
    ]);
    expect(events.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
      { type: 'tool-call-started', caller: 'code', arguments: hidden },
      { type: 'tool-call-ended', ...result },
      { type: 'tool-call-started', toolName: 'fail' },
      {
        type: 'tool-call-progressed',
        caller: 'code',
        toolName: 'fail',
        message: 'Trying ***',
      },
      { type: 'tool-call-ended', result: undefined, error: { message: 'bad password ***' } },
      { type: 'tool-call-started', caller: 'direct', arguments: hidden },
      { type: 'tool-call-ended', ...result },
    ]);
    expect(got).toEqual([{ password: SECRET }, { password: SECRET }]);
    expect(conversation.results(2)).toMatchObject([{ text: expect.stringContaining(SECRET) }]);
  });

  it('is told of each value which part of which call it is', async () => {
    const told: unknown[] = [];
    const listening: RedactFunction = (value, of) => {
      told.push(of);
      return value;
    };
    await eventsOf(converse(SCRIPT, { toolList, redact: listening }));
    expect(told).toEqual([
      { toolName: 'execute_code', part: 'code' },
      { toolName: 'log_in', part: 'arguments' },
      { toolName: 'log_in', part: 'result' },
      { toolName: 'fail', part: 'arguments' },
      { toolName: 'fail', part: 'progress' },
      { toolName: 'fail', part: 'error' },
      { toolName: 'log_in', part: 'arguments' },
      { toolName: 'log_in', part: 'result' },
    ]);
  });

  it('leaves no gap in the numbers of events', async () => {
    const { orchestrator } = converse(SCRIPT, { toolList, redact });
    const ids: string[] = [];
    await orchestrator.run('Go.', { onEvent: ({ id, runId }) => ids.push(id.replace(runId, '')) });
    expect(ids).toEqual(ids.map((_, index) => `-${index + 1}`));
  });

  it('holds for approvals, and not for the approver', async () => {
    const asked: unknown[] = [];
    const policy = {
      rules: [{ tool: 'log_in', action: 'ask' }] as const,
      approver: async (request: { readonly arguments: unknown }) => {
        asked.push(structuredClone(request.arguments));
        return { approved: true } as const;
      },
    };
    const events = await eventsOf(converse(SCRIPT, { toolList, redact, policy }));
    const approvals = events.filter(({ type }) => type.startsWith('approval-'));
    expect(approvals.length).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify(approvals)).not.toContain(SECRET);
    expect(asked).toEqual([{ password: SECRET }, { password: SECRET }]);
  });

  it.each<[string, RedactFunction]>([
    [
      'throws',
      () => {
        throw new Error(`no rule for ${SECRET.length} letters`);
      },
    ],
    ['gives no text', () => undefined],
  ])('leaves out what it should tell if it %s', async (_, failing) => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const events = await eventsOf(converse(SCRIPT, { toolList, redact: failing }));
    warned.mockRestore();
    expect(JSON.stringify(events)).not.toContain(SECRET);
    const calls = events.filter(({ type }) => type.startsWith('tool-'));
    expect(calls).toHaveLength(7);
    expect(calls[3]).toMatchObject({ type: 'tool-call-progressed', message: undefined });
    expect(calls[4]).toMatchObject({ error: { type: 'Failed', message: '' } });
  });

  it('has to be a function', async () => {
    const refusal = (async () => converse([], { redact: 'all' as never }))();
    expect(await refusalOf(refusal)).toMatchObject({ code: 'OPTION_INVALID' });
  });
});
