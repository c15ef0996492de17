import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { PolicyRule } from '../../src/tools/policy/policy.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

/** An executor whose tool `name` is for the tenant `acme` alone. */
function makeForAcme(): SandboxExecutor {
  const tools = new ToolRegistry([{ name: 'name', description: 'Names.', run: () => 'ACME' }]);
  const rules: PolicyRule[] = [
    { tool: 'name', when: ({ labels }) => labels['tenant'] === 'acme', action: 'allow' },
    { tool: '*', action: 'deny', reason: 'not yours' },
  ];
  return make({ tools, policy: { rules } }).executor;
}

const PRINT = `try:
    print(await name())
except ToolError as error:
    print(error.message)`;
const DENIED = 'name failed (Denied): the policy denies it: not yours\n';

describe('the labels of a session', () => {
  it('decide for the code in it, and can be seen', async () => {
    const executor = makeForAcme();
    expect((await executor.execute(PRINT, { labels: { tenant: 'acme' } })).stdout).toBe('ACME\n');
    expect((await executor.execute(PRINT, { labels: { tenant: 'other' } })).stdout).toBe(DENIED);
    expect((await executor.execute(PRINT)).stdout).toBe(DENIED);
    const session = await executor.acquire({ labels: { tenant: 'acme' } });
    expect((await session.execute(PRINT)).stdout).toBe('ACME\n');
    expect((await executor.sessionInfo({ id: session.id }))?.labels).toEqual({ tenant: 'acme' });
  });

  it('are those that it was opened with; what a run brings counts for that run alone', async () => {
    const executor = makeForAcme();
    const session = await executor.acquire({ labels: { tenant: 'other' } });
    const later = { labels: { tenant: 'acme' } };
    expect((await session.execute(PRINT, later)).stdout).toBe('ACME\n');
    expect((await session.execute(PRINT)).stdout).toBe(DENIED);
    expect((await executor.sessionInfo({ id: session.id }))?.labels).toEqual({
      tenant: 'other',
    });
  });

  it('do not count for a program that has its own', async () => {
    const session = await makeForAcme().acquire({ labels: { tenant: 'acme' } });
    expect((await session.execute(PRINT, { labels: { user: 'bob' } })).stdout).toBe(DENIED);
    expect((await session.execute(PRINT, { labels: {} })).stdout).toBe(DENIED);
  });

  it('stay with a key, through a reset and for all who acquire it', async () => {
    const executor = makeForAcme();
    const key = randomUUID();
    const labels: Record<string, string> = { tenant: 'acme' };
    const first = await executor.acquire({ sessionKey: key, labels });
    labels['tenant'] = 'other';
    expect((await first.execute(PRINT)).stdout).toBe('ACME\n');
    await first.reset();
    expect(await first.info()).toMatchObject({ labels: { tenant: 'acme' } });
    const second = await executor.acquire({ sessionKey: key, labels: { tenant: 'other' } });
    expect((await second.execute(PRINT)).stdout).toBe('ACME\n');
    await second.destroy();
    const third = await executor.acquire({ sessionKey: key, labels: { tenant: 'other' } });
    expect((await third.execute(PRINT)).stdout).toBe(DENIED);
  });

  it('are text', async () => {
    const executor = makeForAcme();
    const labels = { tenant: 5 } as unknown as Record<string, string>;
    const refusal = { code: 'OPTION_INVALID', message: expect.stringContaining('labels.tenant') };
    await expect(executor.execute('', { labels })).rejects.toMatchObject(refusal);
    await expect(executor.acquire({ sessionKey: randomUUID(), labels })).rejects.toMatchObject(
      refusal,
    );
  });
});

it('an executor whose policy asks nobody is not made', () => {
  expect(() => make({ policy: { rules: [{ tool: '*', action: 'ask' }] } })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  );
});
