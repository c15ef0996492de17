// One file for all tests of /dev/full: files run side by side, and only one log at a time may have a path open.
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { callEntry, closedEntry, open } from './support.ts';

describe('a log whose disk is full', () => {
  it('reports it once and never fails whoever records', async () => {
    const errors: Error[] = [];
    const reported = createDeferred<void>();
    const onError = (error: Error): void => {
      errors.push(error);
      reported.resolve();
      throw new Error('the listener is broken, too');
    };
    const log = await open({ path: '/dev/full', onError });
    await reported.promise;
    const count = 30_000;
    for (let index = 0; index < count; index++) log.record(closedEntry(`session-${index}`));
    expect(errors).toMatchObject([{ code: 'AUDIT_LOG_UNAVAILABLE' }]);
    expect(errors[0]?.message).toContain('ENOSPC');
    await log.close();
    expect(errors).toHaveLength(2);
    expect(errors[1]?.message).toContain(`${count} waiting entries`);
  });

  it('warns where nobody listens', async () => {
    const warned = once(process, 'warning') as Promise<[Error]>;
    const log = await open({ path: '/dev/full' });
    const [warning] = await warned;
    expect(warning.message).toContain('/dev/full: it cannot be written: ENOSPC');
    await log.close();
  });

  it('keeps nobody waiting, and counts what it drops', async () => {
    const errors: string[] = [];
    const failed = createDeferred<void>();
    const onError = (error: Error): void => {
      errors.push(error.message);
      failed.resolve();
    };
    const log = await open({ path: '/dev/full', onError });
    await failed.promise;
    // All in one turn of the event loop, and more than the queue of 8 MiB holds.
    const count = 3000;
    const longName = '\u0001'.repeat(1024);
    for (let index = 0; index < count; index++) log.record(callEntry(longName, { index }));
    await log.ready();
    await log.close();
    expect(errors.at(-1)).toContain(`${count} waiting entries`);
  });
});

describeWithEngine('a log whose disk is full', () => {
  it('never has a run fail, though its disk is full [host/audit-counts]', async () => {
    const errors: Error[] = [];
    const audit = await open({ path: '/dev/full', onError: (error) => errors.push(error) });
    const executor = new SandboxExecutor({ provider: 'docker', audit });
    onTestFinished(() => executor.close());
    expect(await executor.execute('print(1)')).toMatchObject({ status: 'ok' });
    expect(errors).toHaveLength(1);
  });
});
