import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { FakeRunner } from '../support/fake-runner.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

describe('a sandbox that an earlier process left is left to the next one', () => {
  it.each([
    ['the caller gives up', async (_: SandboxExecutor, caller: AbortController) => caller.abort()],
    ['the executor closes', async (executor: SandboxExecutor) => executor.close()],
  ])('if %s while it is taken over', async (_, giveUp) => {
    const asked = createDeferred<void>();
    // It has a program to stop, so it does not answer yet.
    const runner = new FakeRunner();
    runner.onMessage = ({ kind }) => {
      if (kind === 'attach') asked.resolve();
    };
    const ends: string[] = [];
    const left = {
      id: 'left',
      transport: runner,
      close: async () => void ends.push('closed'),
      detach: async () => void ends.push('detached'),
    };
    const provider = { ...unisolatedLocalProvider(), attach: async () => left };
    const { executor } = make({ provider });
    const caller = new AbortController();
    const { signal } = caller;
    const acquired = executor.acquire({ sessionKey: randomUUID(), persistent: true, signal });
    await Promise.all([
      expect(acquired).rejects.toMatchObject({
        code: expect.stringMatching(/^(ABORTED|CLOSED)$/),
      }),
      asked.promise.then(async () => giveUp(executor, caller)),
    ]);
    await expect.poll(() => ends).toEqual(['detached']);
  });
});
