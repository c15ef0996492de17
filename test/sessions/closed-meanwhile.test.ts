import { describe, expect, it } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { onAbort } from '../../src/shared/async/on-abort.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { refusalOf } from '../orchestrator/support.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();
const CLOSED = { code: 'CLOSED', message: expect.stringContaining('This executor is closed') };

describe('an executor that closes meanwhile', () => {
  it('is the error of a reset whose old sandbox ends', async () => {
    const { executor } = make();
    const session = await executor.acquire();
    const reset = refusalOf(session.reset());
    await executor.close();
    expect(await reset).toMatchObject(CLOSED);
  });

  it('is the error of a reset that waits for room', async () => {
    const { executor } = make({ maxSandboxes: 1 });
    const session = await executor.acquire();
    const other = executor.acquire();
    await expect.poll(() => executor.stats().waiting).toBe(1);
    const reset = refusalOf(session.reset());
    await other;
    await expect.poll(() => executor.stats().waiting).toBe(1);
    await executor.close();
    expect(await reset).toMatchObject(CLOSED);
  });

  it('is the error of a search for the software of its sandboxes, and later ones', async () => {
    const asked = createDeferred<void>();
    // As a provider does that starts a sandbox for it.
    const software: SandboxProvider['software'] = async ({ signal } = {}) =>
      new Promise((_resolve, reject) => {
        const abort = (): void => reject(new PtcError('ABORTED', 'The start was aborted.'));
        if (signal?.aborted === true) abort();
        else if (signal !== undefined) onAbort(signal, abort);
        asked.resolve();
      });
    const provider = Object.assign(new RecordingProvider(unisolatedLocalProvider()), { software });
    const { executor } = make({ provider });
    const found = refusalOf(executor.findSoftware());
    await asked.promise;
    await executor.close();
    expect(await found).toMatchObject(CLOSED);
    expect(await refusalOf(executor.findSoftware())).toMatchObject(CLOSED);
  });
});
