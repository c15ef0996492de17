import { afterEach, describe, expect, it } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '../../../src/models/scripted.ts';
import type { LanguageModel, ModelRequest } from '../../../src/models/language-model.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useExecutors } from '../../sessions/support.ts';
import { refusalOf, runs, says } from '../support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const KEY = uniqueKey('conversation');
const makeExecutor = useExecutors();
const conversations: ProgrammaticToolOrchestrator[] = [];

afterEach(async () => {
  await Promise.all(conversations.splice(0).map((one) => one.close()));
});

/** The text of the last message of a request. */
function lastText(request: ModelRequest | undefined): string {
  return (request?.messages.at(-1)?.content ?? [])
    .map((block) => ('text' in block ? block.text : ''))
    .join('');
}

function converse(
  turns: readonly ScriptedTurn[],
  options: Omit<OrchestratorOptions, 'model'>,
  beforeTurn: (turn: number) => Promise<void> = async () => {},
): { orchestrator: ProgrammaticToolOrchestrator; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const script = scriptedModel(turns);
  const model: LanguageModel = {
    id: script.id,
    async *stream(request) {
      requests.push(request);
      await beforeTurn(requests.length);
      yield* script.stream(request);
    },
  };
  const orchestrator = new ProgrammaticToolOrchestrator({ model, ...options });
  conversations.push(orchestrator);
  return { orchestrator, requests };
}

describe('conversations on one executor', () => {
  it('have variables of their own', async () => {
    const { executor } = makeExecutor();
    const ann = converse([runs('x = "of Ann"\nprint(x)'), says('Set.')], { executor });
    const bob = converse([runs('print("x" in globals())'), says('No.')], { executor });
    await ann.orchestrator.run('Set x.');
    await bob.orchestrator.run('Is x there?');
    expect(lastText(ann.requests[1])).toBe('of Ann');
    expect(lastText(bob.requests[1])).toBe('False');
    expect(executor.activeSessions).toHaveLength(2);
  });

  it('report the session of their key, no matter who opened it', async () => {
    const { executor } = makeExecutor();
    const { orchestrator } = converse([runs('print(1)'), says('Done.')], {
      executor,
      sessionKey: KEY,
    });
    expect(await orchestrator.sessionInfo()).toBeUndefined();
    await using other = await executor.acquire({ sessionKey: KEY, labels: { user: 'Ann' } });
    expect(await orchestrator.sessionInfo()).toMatchObject({
      id: other.id,
      key: KEY,
      labels: { user: 'Ann' },
      programs: 0,
    });
    await orchestrator.run('Count.');
    expect(await orchestrator.sessionInfo()).toMatchObject({ id: other.id, programs: 1 });
    await other.destroy();
    expect(await orchestrator.sessionInfo()).toBeUndefined();
  });

  it('have tools of their own, on top of those that they were made with', async () => {
    const shared = new ToolRegistry([
      { name: 'shared_tool', description: 'For all.', run: () => 'shared' },
    ]);
    const { executor } = makeExecutor({ tools: shared });
    const script = [runs('print(await shared_tool())\nprint(await secret())'), says('Done.')];
    const ann = converse(script, { executor });
    const bob = converse(script, { executor });
    ann.orchestrator.registerTool({ name: 'secret', description: 'Of Ann.', run: () => 'Ann’s' });
    await Promise.all([ann.orchestrator.run('Call both.'), bob.orchestrator.run('Call both.')]);
    expect(lastText(ann.requests[1])).toBe('shared\nAnn’s');
    expect(ann.requests[0]?.system).toContain('secret');
    expect(bob.requests[0]?.system).not.toContain('secret');
    expect(lastText(bob.requests[1])).toMatch(/^shared\n.*NameError/s);
    expect(shared.list()).toHaveLength(1);
  });

  it('are all answered if they are more than its sandboxes', async () => {
    const { executor, provider } = makeExecutor({
      maxSandboxes: 2,
      whenFull: { action: 'evict' },
    });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, user) => {
        const script = [runs(`print(${user} * 2)`), says('Done.')];
        const { orchestrator, requests } = converse(script, { executor });
        await orchestrator.run('Double it.');
        return lastText(requests[1]);
      }),
    );
    expect(answers).toEqual(['0', '2', '4', '6', '8', '10', '12', '14']);
    expect(provider.open.size).toBeLessThanOrEqual(2);
  });

  it('keep their variables during a run, however many others wait', async () => {
    const { executor } = makeExecutor({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    const hasRun = createDeferred<void>();
    const others = createDeferred<void>();
    const first = converse(
      [runs('kept = 41'), runs('print(kept + 1)', 'second'), says('Done.')],
      { executor },
      async (turn) => {
        if (turn !== 2) return;
        hasRun.resolve();
        await others.promise;
      },
    );
    const second = converse([runs('print("second")'), says('Done.')], { executor });
    const running = first.orchestrator.run('Keep it.');
    await hasRun.promise;
    const waiting = second.orchestrator.run('Wait.');
    await expect.poll(() => executor.stats().waiting).toBe(1);
    others.resolve();
    await Promise.all([running, waiting]);
    expect(lastText(first.requests[2])).toBe('42');
    expect(lastText(second.requests[1])).toBe('second');
  });

  it('are told that their variables are gone if another took the sandbox between two runs', async () => {
    const { executor } = makeExecutor({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    const ann = converse(
      [runs('x = 1'), says('Set.'), runs('print("x" in globals())'), says('Gone.')],
      { executor },
    );
    const bob = converse([runs('print("mine")'), says('Done.')], { executor });
    await ann.orchestrator.run('Set x.');
    await bob.orchestrator.run('Take the sandbox.');
    await ann.orchestrator.run('And now?');
    expect(lastText(ann.requests[3])).toMatch(/^False\n.*variables of earlier programs are gone/s);
  });

  it('close their own session and not the executor; a session whose key was given stays', async () => {
    const { executor } = makeExecutor();
    const script = [runs('x = 5'), says('Set.')];
    const nameless = converse(script, { executor });
    await nameless.orchestrator.run('Set x.');
    const named = converse(script, { executor, sessionKey: KEY });
    await named.orchestrator.run('Set x.');
    expect(named.orchestrator.sessionKey).toBe(KEY);
    await Promise.all([nameless.orchestrator.close(), named.orchestrator.close()]);
    expect(executor.activeSessions.map(({ key }) => key)).toEqual([KEY]);
    const { stdout } = await executor.execute('print(x)', { sessionKey: KEY });
    expect(stdout).toBe('5\n');
  });

  it('have its policy for direct calls too, unless they bring one', async () => {
    const pay = { name: 'pay', description: 'Pays.', allowedCallers: ['code', 'direct'] as const };
    const tools = new ToolRegistry([{ ...pay, run: () => 'paid' }]);
    const policy = { rules: [{ tool: 'pay', action: 'deny' as const, reason: 'not on Sundays' }] };
    const { executor } = makeExecutor({ tools, policy });
    const script = [
      [{ type: 'tool-use' as const, id: 'a', name: 'pay', input: {} }],
      runs('print(await pay())', 'b'),
      says('Done.'),
    ];
    const strict = converse(script, { executor });
    const free = converse(script, { executor, policy: { rules: [] } });
    await Promise.all([strict.orchestrator.run('Pay.'), free.orchestrator.run('Pay.')]);
    expect(lastText(strict.requests[1])).toContain('not on Sundays');
    expect(lastText(strict.requests[2])).toContain('not on Sundays');
    expect([lastText(free.requests[1]), lastText(free.requests[2])]).toEqual(['"paid"', 'paid']);
  });
});

describe('what a tool is told of the run', () => {
  const seen: unknown[] = [];
  const whoami = defineTool({
    name: 'whoami',
    description: 'Tells who calls.',
    allowedCallers: ['code', 'direct'],
    run: (_input, { labels, sessionKey, runId, context, caller, sessionId }) => {
      seen.push({
        labels,
        sessionKey,
        runId,
        context,
        caller,
        hasSession: sessionId !== undefined,
      });
      return null;
    },
  });

  it('is the same for its direct calls and those of its code, and reaches no event', async () => {
    const { executor } = makeExecutor();
    const { orchestrator, requests } = converse(
      [
        [{ type: 'tool-use', id: 'a', name: 'whoami', input: {} }],
        runs('await whoami()', 'b'),
        says('Done.'),
        runs('await whoami()', 'c'),
        says('Done.'),
      ],
      {
        executor,
        sessionKey: KEY,
        labels: { user: 'ann', plan: 'free' },
        tools: new ToolRegistry([whoami]),
      },
    );
    const events: unknown[] = [];
    const context = { database: 'CANARY-5d2e' };
    const onEvent = (event: unknown): void => void events.push(event);
    await orchestrator.run('Who?', { context, labels: { plan: 'paid' }, onEvent });
    await orchestrator.run('And now?');
    const [direct, code, later] = seen.splice(0) as Record<string, unknown>[];
    const about = { labels: { user: 'ann', plan: 'paid' }, sessionKey: KEY, context };
    expect(direct).toMatchObject({ ...about, caller: 'direct', hasSession: false });
    expect(code).toMatchObject({ ...about, caller: 'code', hasSession: true });
    expect(code?.['context']).toBe(context);
    expect(code?.['runId']).toBe(direct?.['runId']);
    expect(later).toMatchObject({ labels: { user: 'ann', plan: 'free' }, context: undefined });
    expect(later?.['runId']).not.toBe(code?.['runId']);
    expect(events.length).toBeGreaterThan(5);
    expect(JSON.stringify([events, requests])).not.toContain('CANARY-5d2e');
  });
});

describe('settings of one run', () => {
  it('hold for it alone', async () => {
    const { executor } = makeExecutor();
    const { orchestrator, requests } = converse([says('Usual.'), says('Again.')], {
      executor,
      instructions: 'Be brief.',
      maxTokens: 100,
    });
    const others: ModelRequest[] = [];
    const other = scriptedModel([says('Other.')]);
    const model: LanguageModel = {
      id: 'other',
      stream: (request) => {
        others.push(request);
        return other.stream(request);
      },
    };
    const tools = new ToolRegistry([{ name: 'only_now', description: 'For now.', run: () => 1 }]);
    await orchestrator.run('First.');
    const settings = { model, instructions: 'Be long.', maxTokens: 5000, tools };
    expect((await orchestrator.run('Second.', settings)).text).toBe('Other.');
    expect((await orchestrator.run('Third.')).text).toBe('Again.');
    expect(others[0]).toMatchObject({ maxTokens: 5000 });
    expect(others[0]?.messages).toHaveLength(3);
    expect(others[0]?.system).toMatch(/^Be long\..*only_now/s);
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([100, 100]);
    expect(requests[1]?.system).toMatch(/^Be brief\./);
    expect(requests[1]?.system).not.toContain('only_now');
  });

  it('end a run that takes longer than its time limit, and keep what it did', async () => {
    const { executor } = makeExecutor();
    await using session = await executor.acquire({ sessionKey: KEY });
    await session.execute('');
    const { orchestrator } = converse([runs('print("begun")\nwhile True: pass'), says('Never.')], {
      executor,
      sessionKey: KEY,
    });
    const error = await refusalOf(orchestrator.run('Loop.', { runTimeoutMs: 3000 }));
    expect(error).toMatchObject({ code: 'RUN_TIMEOUT', details: { runTimeoutMs: 3000 } });
    expect(lastText({ messages: orchestrator.messages } as ModelRequest)).toMatch(/^begun\n/);
  });

  it.each([{ maxTurns: 0 }, { maxTokens: 1.5 }, { runTimeoutMs: -1 }, { runTimeoutMs: 2 ** 31 }])(
    'are refused if they cannot be: %j',
    async (settings) => {
      const { orchestrator } = converse([says('Never.')], { executor: makeExecutor().executor });
      const error = await refusalOf(orchestrator.run('Go.', settings));
      expect(error.code).toBe('OPTION_INVALID');
      expect(error.message).toContain(Object.keys(settings)[0]);
    },
  );
});
