import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import {
  DEFAULT_LIMITS,
  type ResourceLimits,
  type SandboxProvider,
} from '../../../src/sandbox/sandbox.ts';
import { SandboxClient, specOf } from '../docker/support.ts';

/** Starts sandboxes for the tests of one `describe`, and closes them all after it. */
export function useSandboxes(): {
  readonly start: (limits?: Partial<ResourceLimits>) => Promise<SandboxClient>;
} {
  const clients: SandboxClient[] = [];
  let provider: SandboxProvider;
  beforeAll(() => {
    provider = embeddedProvider();
  });
  afterAll(async () => {
    await Promise.all(clients.map(async ({ sandbox }) => sandbox.close()));
    await provider.close();
  });
  return {
    async start(limits = {}) {
      const spec = { ...specOf('embedded-test'), limits: { ...DEFAULT_LIMITS, ...limits } };
      const client = new SandboxClient(await provider.create(spec));
      clients.push(client);
      const ready = await client.next();
      if (ready.kind !== 'ready') throw new Error(`The first message is ${ready.kind}.`);
      return client;
    },
  };
}

/** Whether a process is there and no zombie. */
export async function isAlive(pid: string): Promise<boolean> {
  try {
    return !/^State:\s+[ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Returns when the process is gone. There is no event for that which a stranger could wait for. */
export async function untilGone(pid: string): Promise<void> {
  while (await isAlive(pid)) await delay(20);
}
