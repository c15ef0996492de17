import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

// Seen from outside, for a program that looked would come too early: it is what asyncio has of native code.
it('a sandbox that is kept for later loads asyncio while it waits', async () => {
  const spec = { sessionId: 'spare', languages: ['python'], limits: DEFAULT_LIMITS } as const;
  const sandbox = await unisolatedLocalProvider().create(spec);
  try {
    const supervisor = sandbox.id;
    await expect
      .poll(async () => {
        const children = await readFile(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8');
        return readFile(`/proc/${children.trim()}/maps`, 'utf8');
      })
      .toContain('/_asyncio.');
  } finally {
    await sandbox.close();
  }
});
