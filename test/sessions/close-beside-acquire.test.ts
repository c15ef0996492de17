import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { useExecutors } from './support.ts';

const make = useExecutors();

/** Its provider takes over persistent sandboxes, of which there are none. */
function makePersistent(): SandboxExecutor {
  const attach = async () => undefined;
  const provider = Object.assign(new RecordingProvider(unisolatedLocalProvider()), { attach });
  return make({ provider }).executor;
}

describe('a request for a session beside one that closes it', () => {
  it('opens it with its own labels', async () => {
    const { executor } = make();
    const key = randomUUID();
    for (const tenant of ['a', 'b']) {
      const closing = executor.closeSession({ key });
      const session = await executor.acquire({ sessionKey: key, labels: { tenant } });
      await closing;
      expect(session.acquired.labels).toEqual({ tenant });
      await session.release();
    }
  });

  it('opens it as persistent if it asks for that, and not because the other does', async () => {
    const executor = makePersistent();
    for (const persistent of [true, false]) {
      const key = randomUUID();
      const closing = executor.closeSession({ key, persistent: !persistent });
      const session = await executor.acquire({ sessionKey: key, persistent });
      await closing;
      expect(session.acquired).toMatchObject({ persistent });
      await session.destroy();
    }
  });

  it('does not make the session persistent that another opens', async () => {
    const executor = makePersistent();
    const sessionKey = randomUUID();
    const opening = executor.acquire({ sessionKey });
    await expect(executor.acquire({ sessionKey, persistent: true })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('is not persistent'),
    });
    expect((await opening).acquired).toMatchObject({ persistent: false });
  });
});
