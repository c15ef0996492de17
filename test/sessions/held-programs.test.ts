import { describe, expect, it, vi } from 'vitest';
import type { HeldCall, HeldProgram } from '../../src/execution/held/held-program.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { defineRemoteTool } from '../../src/tools/remote-tool.ts';
import { uniqueKey } from '../support/unique-key.ts';
import { useExecutors } from './support.ts';

const makeExecutor = useExecutors();

const look = defineRemoteTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { x: { type: 'integer' } } },
  remoteTimeoutMs: 2_000_000,
});
const options = { tools: [look] };

async function callsOf(program: HeldProgram): Promise<readonly HeldCall[]> {
  const step = await program.next();
  if (step.state === 'waiting') return step.calls;
  throw new Error(`It has ended: ${JSON.stringify(step.result)}`);
}

describe('a program that is started', () => {
  it('begins when the one before has ended, and its variables are there', async () => {
    const { executor } = makeExecutor(options);
    const session = await executor.acquire();
    const first = await session.start('x = await look(x=1)');
    const begun = vi.fn<() => void>();
    const starting = session.start('print(x)').then((program) => (begun(), program));
    const [call] = await callsOf(first);
    expect(begun).not.toHaveBeenCalled();
    first.answer(call?.callId ?? '', { result: 7 });
    const second = await starting;
    expect(first.status).toBe('ended');
    expect(await second.next()).toMatchObject({ state: 'ended', result: { stdout: '7\n' } });
  });

  it('does not begin if its signal fires before, and is stopped if it fires later', async () => {
    const { executor } = makeExecutor(options);
    const session = await executor.acquire();
    const stop = new AbortController();
    const first = await session.start('await look(x=1)', { signal: stop.signal });
    const never = new AbortController();
    const starting = session.start('1', { signal: never.signal });
    never.abort();
    await expect(starting).rejects.toMatchObject({ code: 'ABORTED' });
    await callsOf(first);
    stop.abort();
    expect(await first.next()).toMatchObject({ state: 'ended', result: { status: 'cancelled' } });
  });

  it('goes on when the session of a key was released, and ends with a session that has none', async () => {
    const { executor } = makeExecutor(options);
    for (const [sessionKey, status] of [
      [uniqueKey('held'), 'ok'],
      [undefined, 'cancelled'],
    ] as const) {
      const session = await executor.acquire({ ...(sessionKey !== undefined && { sessionKey }) });
      const program = await session.start('print(await look(x=1))');
      const [call] = await callsOf(program);
      const released = session.release();
      await expect(session.start('1')).rejects.toMatchObject({ code: 'CLOSED' });
      if (sessionKey !== undefined) program.answer(call?.callId ?? '', { result: 7 });
      expect(await program.next()).toMatchObject({ state: 'ended', result: { status } });
      await released;
    }
  });

  it('ends with its executor', async () => {
    const { executor } = makeExecutor(options);
    const session = await executor.acquire();
    const program = await session.start('await look(x=1)');
    const [call] = await callsOf(program);
    await executor.close();
    const { result } = (await program.next()) as { result: { status: string } };
    expect(['cancelled', 'sandbox-lost']).toContain(result.status);
    expect(() => program.answer(call?.callId ?? '', { result: 1 })).toThrow(
      expect.objectContaining({ code: 'CALL_NOT_OPEN' }),
    );
  });

  it('keeps its session and its time while it waits for longer than either would last', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    });
    try {
      const { executor } = makeExecutor(options);
      const session = await executor.acquire();
      const program = await session.start('print(await look(x=1))', { timeoutMs: 60_000 });
      const [call] = await callsOf(program);
      await vi.advanceTimersByTimeAsync(1_000_000);
      expect(program.status).toBe('waiting');
      program.answer(call?.callId ?? '', { result: 7 });
      expect(await program.next()).toMatchObject({ result: { status: 'ok', stdout: '7\n' } });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('remote tools that nobody would answer', () => {
  const refusal = { code: 'OPTION_INVALID', details: { option: 'tools', remote: ['look'] } };

  it('are refused before a sandbox starts', async () => {
    const { executor, provider } = makeExecutor(options);
    await expect(executor.execute('1')).rejects.toMatchObject(refusal);
    expect(provider.created.size).toBe(0);
    const session = await executor.acquire();
    await expect(session.execute('1')).rejects.toMatchObject(refusal);
    expect(await session.execute('1', { tools: [] })).toMatchObject({ status: 'ok' });
  });

  it('are refused by codeTool and by conversations', async () => {
    const { executor } = makeExecutor();
    expect(() => codeTool({ executor, ...options })).toThrow(expect.objectContaining(refusal));
    const model = scriptedModel([]);
    expect(() => new ProgrammaticToolOrchestrator({ model, executor, ...options })).toThrow(
      expect.objectContaining(refusal),
    );
  });
});

it.each([
  ['a function', { run: () => 1 }],
  ['a limit of calls at a time', { concurrency: 1 }],
  ['callers', { allowedCallers: ['direct'] }],
  ['a time limit for no function', { timeoutMs: 1 }],
  ['a timeout that is not a time', { remoteTimeoutMs: 0 }],
])('a remote tool has no %s', (_, extra) => {
  expect(() => defineRemoteTool({ name: 'a', description: 'A.', ...extra } as never)).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^(?:TOOL|OPTION)_INVALID$/) }),
  );
});
