import { expect } from 'vitest';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { executorFor } from '../../support/executor-for.ts';

/** How a session ends, and the reason that its transfers are told. */
const ENDS: readonly [string, (executor: SandboxExecutor, session: Session) => Promise<void>][] = [
  ['closed', async (executor) => executor.close()],
  ['reset', async (_executor, session) => session.reset()],
  ['closed', async (_executor, session) => session.destroy()],
];

/** Uploads and a download that are under way when their session ends fail with `CLOSED`, whatever of them is sent. */
export async function endDuringTransfers(provider: () => SandboxProvider): Promise<void> {
  for (const [reason, end] of ENDS) {
    const executor = executorFor(provider());
    const session = await executor.acquire();
    await session.files.write('kept', 'old'.repeat(300_000));
    const ended = createDeferred<void>();
    const begun = [createDeferred<void>(), createDeferred<void>()];
    const until = [session.closing, ended.promise];
    const uploads = until.map(async (moment, index) => {
      async function* parts(): AsyncGenerator<string> {
        yield 'a'.repeat(600_000);
        begun[index]?.resolve();
        await moment;
        yield 'b'.repeat(600_000);
      }
      return session.files.write('kept', parts()).catch((error: unknown) => error);
    });
    const download = session.files.stream('kept');
    await download.next();
    await Promise.all(begun.map(async ({ promise }) => promise));
    await end(executor, session);
    ended.resolve();
    const expected = { code: 'CLOSED', details: { reason } };
    for (const failure of [...uploads, endOf(download)]) {
      expect(await failure).toMatchObject(expected);
    }
  }
}

/** Reads the rest, of which some may have arrived before the session ended. Returns what ends it. */
async function endOf(download: AsyncGenerator<Uint8Array>): Promise<unknown> {
  try {
    while ((await download.next()).done !== true);
    return undefined;
  } catch (error) {
    return error;
  }
}
