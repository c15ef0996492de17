import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { AuditEntry, AuditLog } from '../../src/audit/entry.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { killLocalSandbox } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

/** An audit log that has no room after the end of a program. */
class FullLog implements AuditLog {
  readonly asked = createDeferred<void>();
  readonly room = createDeferred<void>();
  #isFull = false;

  record({ type }: AuditEntry): void {
    if (type === 'program-ended') this.#isFull = true;
  }

  ready(): Promise<void> | undefined {
    if (!this.#isFull) return undefined;
    this.asked.resolve();
    return this.room.promise;
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

it('a session ends if its sandbox is lost after a program ended, while the result waits for the audit log', async () => {
  const audit = new FullLog();
  const { executor, provider } = make({ audit, maxSandboxes: 1 });
  const session = await executor.acquire({ sessionKey: randomUUID() });
  const running = session.execute('print(1)');
  await audit.asked.promise;
  const [sandbox] = provider.created.values();
  if (sandbox) await killLocalSandbox(sandbox);
  await expect.poll(() => executor.activeSessions).toEqual([]);
  audit.room.resolve();
  expect(await running).toMatchObject({ status: 'ok', stdout: '1\n' });
  expect(await session.closing).toBe('sandbox-lost');
  expect(await executor.execute('print(2)')).toMatchObject({ stdout: '2\n' });
});
