import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/tools/policy/approval-request.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import type { PolicyCall } from '../../src/tools/policy/policy.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { open, readLog, temporaryPath } from '../audit/support.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

/** One tool, `who`, which says whose it is. */
function toolsOf(owner: string, name = 'who'): ToolRegistry {
  return new ToolRegistry([{ name, description: 'Says whose tool it is.', run: () => owner }]);
}

/** One tool, `look`, and what it was given beside its arguments. */
function watched(): { readonly tools: ToolRegistry; readonly seen: ToolContext[] } {
  const seen: ToolContext[] = [];
  const run = (_input: unknown, context: ToolContext): void => void seen.push(context);
  return { tools: new ToolRegistry([{ name: 'look', description: 'Looks.', run }]), seen };
}

const WHO = 'print(await who())';
const DENY: PolicyOptions = { rules: [{ tool: '*', action: 'deny', reason: 'closed' }] };

describe('the tools of a run', () => {
  it('are the executor’s, or those of its session, or its own', async () => {
    const { executor } = make({ tools: toolsOf('executor') });
    const plain = await executor.acquire();
    const own = await executor.acquire({ tools: toolsOf('session') });
    expect((await plain.execute(WHO)).stdout).toBe('executor\n');
    expect((await own.execute(WHO)).stdout).toBe('session\n');
    expect((await own.execute(WHO, { tools: toolsOf('run') })).stdout).toBe('run\n');
    // Only that run had them.
    expect((await own.execute(WHO)).stdout).toBe('session\n');
    expect((await executor.execute(WHO, { tools: toolsOf('run') })).stdout).toBe('run\n');
  });

  it('are all that its program can call', async () => {
    const { executor } = make({ tools: toolsOf('executor') });
    const session = await executor.acquire({ tools: toolsOf('session', 'other') });
    expect((await session.execute(WHO)).error).toMatchObject({ type: 'NameError' });
    expect((await session.execute('print(await other())')).stdout).toBe('session\n');
    // What an earlier program took with it is of no use to a later one.
    await session.execute('taken = other');
    const { error } = await session.execute('await taken()', { tools: toolsOf('run') });
    expect(error).toMatchObject({ type: 'ToolError' });
    expect(error?.message).toContain('UnknownTool');
  });

  it('stay those of the session if a run’s are undefined', async () => {
    const { executor } = make({ tools: toolsOf('executor') });
    const session = await executor.acquire({ tools: toolsOf('session') });
    // As of a caller without types.
    const options = { tools: undefined } as unknown as { tools: ToolRegistry };
    expect((await session.execute(WHO, options)).stdout).toBe('session\n');
  });

  it('are those of each user of a key', async () => {
    const { executor } = make({ tools: toolsOf('executor') });
    const key = randomUUID();
    const one = await executor.acquire({ sessionKey: key, tools: toolsOf('one') });
    const two = await executor.acquire({ sessionKey: key, tools: toolsOf('two') });
    expect((await one.execute(WHO)).stdout).toBe('one\n');
    expect((await two.execute(WHO)).stdout).toBe('two\n');
    expect((await executor.execute(WHO, { sessionKey: key })).stdout).toBe('executor\n');
  });
});

describe('the policy of a run', () => {
  const CATCH = 'try:\n    print(await who())\nexcept ToolError as error:\n    print(error.type)';

  it('counts instead of the executor’s, and only for that run', async () => {
    const { executor } = make({ tools: toolsOf('executor'), policy: DENY });
    const session = await executor.acquire();
    expect((await session.execute(CATCH)).stdout).toBe('Denied\n');
    expect((await session.execute(CATCH, { policy: { rules: [] } })).stdout).toBe('executor\n');
    expect((await session.execute(CATCH)).stdout).toBe('Denied\n');
    const without = make({ tools: toolsOf('executor') }).executor;
    expect((await without.execute(CATCH, { policy: DENY })).stdout).toBe('Denied\n');
    expect((await without.execute(CATCH)).stdout).toBe('executor\n');
  });

  it('is refused if it asks and nobody answers', async () => {
    const { executor } = make({ tools: toolsOf('executor') });
    const policy: PolicyOptions = { rules: [{ tool: '*', action: 'ask' }] };
    await expect(executor.execute(CATCH, { policy })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });
});

it.each([{}, 'stop', null, new AbortController()])(
  'a signal that is not an AbortSignal is refused: %j',
  async (value) => {
    const signal = value as AbortSignal;
    const { executor } = make();
    const session = await executor.acquire();
    const refusal = { code: 'OPTION_INVALID', details: { option: 'signal' } };
    for (const refused of [
      executor.execute('1', { signal }),
      executor.acquire({ signal }),
      session.execute('1', { signal }),
    ]) {
      await expect(refused).rejects.toMatchObject(refusal);
    }
    expect(await session.execute('1')).toMatchObject({ status: 'ok' });
  },
);

describe('the labels of a run', () => {
  it('replace those of its session, for its tools and the policy', async () => {
    const { tools, seen } = watched();
    const judged: PolicyCall[] = [];
    const when = (call: PolicyCall): boolean => judged.push(call) > 0;
    const policy: PolicyOptions = { rules: [{ tool: 'look', when, action: 'allow' }] };
    const { executor } = make({ tools, policy });
    const session = await executor.acquire({ labels: { tenant: 'acme', role: 'clerk' } });
    await session.execute('await look()', { labels: { role: 'admin', request: '7' } });
    await session.execute('await look()');
    const expected = [
      { role: 'admin', request: '7' },
      { tenant: 'acme', role: 'clerk' },
    ];
    expect(seen.map(({ labels }) => labels)).toEqual(expected);
    expect(judged.map(({ labels }) => labels)).toEqual(expected);
    expect((await session.info()).labels).toEqual({ tenant: 'acme', role: 'clerk' });
  });

  it('cannot be changed by a tool, for the policy judges the next call by them', async () => {
    const { tools, seen } = watched();
    const { executor } = make({ tools });
    await executor.execute('await look()', { labels: { role: 'clerk' } });
    expect(() => Object.assign(seen[0]?.labels ?? {}, { role: 'admin' })).toThrow(TypeError);
  });
});

describe('a tool', () => {
  it('is told the session, its key and the run: one id for all calls of a run', async () => {
    const { tools, seen } = watched();
    const { executor } = make({ tools });
    const key = randomUUID();
    const keyed = await executor.acquire({ sessionKey: key });
    await keyed.execute('await look()\nawait look()');
    await keyed.execute('await look()');
    await keyed.execute('await look()', { runId: 'request-7' });
    const { sessionId } = await executor.execute('await look()');
    const [first, second, next, given, without] = seen;
    expect(first?.runId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.runId).toBe(first?.runId);
    expect(next?.runId).not.toBe(first?.runId);
    expect(given?.runId).toBe('request-7');
    expect(seen.map(({ sessionKey }) => sessionKey)).toEqual([key, key, key, key, undefined]);
    expect(first).toMatchObject({ sessionId: keyed.id, caller: 'code' });
    expect(without?.sessionId).toBe(sessionId);
  });

  it('gets the very object that was passed with the run as its context, or undefined', async () => {
    const { tools, seen } = watched();
    const { executor } = make({ tools });
    const [database, other] = [{ name: 'database' }, { name: 'other' }];
    const session = await executor.acquire();
    await session.execute('await look()\nawait look()', { context: database });
    await session.execute('await look()');
    await executor.execute('await look()', { context: other });
    const contexts = seen.map(({ context }) => context);
    expect(contexts).toEqual([database, database, undefined, other]);
    expect(contexts[0]).toBe(database);
    expect(contexts[1]).toBe(database);
    expect(contexts[3]).toBe(other);
  });
});

it('the context of a run goes to no sandbox, event, approver or log', async () => {
  const marker = 'of-the-host-alone';
  const sent: unknown[] = [];
  const told: unknown[] = [];
  const requests: ApprovalRequest[] = [];
  const contexts: unknown[] = [];
  const local = unisolatedLocalProvider();
  const path = await temporaryPath();
  const audit = await open({ path, includeText: true });
  const { executor } = make({
    audit,
    tools: new ToolRegistry([
      {
        name: 'look',
        description: 'Fails with the second call.',
        run: (_input, { context }) => {
          if (contexts.push(context) === 2) throw new Error('no more');
        },
      },
    ]),
    policy: {
      rules: [{ tool: 'look', action: 'ask' }],
      approver: async (request) => {
        requests.push(request);
        return requests.length < 3 ? { approved: true } : { approved: false, reason: 'no' };
      },
    },
    onExecutorEvent: (event) => told.push(event),
    provider: {
      ...local,
      create: async (spec, options) => {
        sent.push(spec);
        const sandbox = await local.create(spec, options);
        const send = sandbox.transport.send.bind(sandbox.transport);
        sandbox.transport.send = (message) => {
          sent.push(message);
          send(message);
        };
        return sandbox;
      },
    },
  });
  const CALL = 'try:\n    await look()\nexcept ToolError as error:\n    print(error)\n';
  const result = await executor.execute(`${CALL}${CALL}${CALL}1 / 0`, {
    context: { marker },
    onEvent: (event) => told.push(event),
  });
  await executor.close();
  await audit.close();
  expect(result).toMatchObject({ status: 'error', toolCalls: 3 });
  expect(contexts).toEqual([{ marker }, { marker }]);
  const lines = await readLog(path);
  const types = new Set(lines.map(({ type }) => type));
  expect([...types]).toEqual(
    expect.arrayContaining([
      'session-opened',
      'program-started',
      'tool-call-ended',
      'program-ended',
    ]),
  );
  expect(requests).toHaveLength(3);
  for (const all of [sent, told, requests, lines, [result]]) {
    expect(all.length).toBeGreaterThan(0);
    expect(JSON.stringify(all)).not.toContain(marker);
  }
});
