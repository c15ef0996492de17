import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { DEFAULT_LIMITS, type SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { inBackground } from '../../../src/shared/async/background.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { LeaseServer } from './keys/lease-server.ts';

const CLOSED = { code: 'CLOSED' };
const HOLD = { onAsked: () => false };
const SPEC = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;
/** In which requests would have been sent. */
const WHILE_MS = 500;

/** A provider that has not connected to the server yet. It is closed with the test. */
function newProvider(): SandboxProvider {
  const provider = kubernetesProvider({ namespace: 'agents' });
  onTestFinished(async () => provider.close?.());
  return provider;
}

const patience = { deadline: Infinity, answerDeadline: Infinity };
const { signal } = new AbortController();

it.each<[string, (provider: SandboxProvider) => Promise<unknown> | undefined]>([
  ['holds a key', ({ keys }) => keys?.hold('a', HOLD)],
  ['asks how a key is', ({ keys }) => keys?.stateOf('a')],
  ['waits for a key', ({ keys }) => keys?.waitUntilFree('a', { patience, signal })],
  ['makes a sandbox', (provider) => provider.create(SPEC)],
  ['takes a sandbox over', (provider) => provider.attach?.('a')],
  ['looks for sandboxes', (provider) => provider.findSandboxes?.()],
])(
  'a provider that is closed while it connects, and then %s, sends nothing and leaves nothing',
  async (_what, work) => {
    const server = await LeaseServer.start();
    const provider = newProvider();
    const working = work(provider);
    await Promise.all([provider.close?.(), expect(working).rejects.toMatchObject(CLOSED)]);
    await delay(WHILE_MS);
    expect(server.requests).toEqual([]);
    expect(server.store.names).toEqual([]);
  },
);

it('a takeover whose provider is closed does not wait for the API server', async () => {
  const server = await LeaseServer.start();
  const asked = createDeferred<void>();
  // It gets no answer.
  server.answerOthers = ({ path }) => {
    if (path.endsWith('/pods')) asked.resolve();
  };
  const provider = newProvider();
  const taking = provider.attach?.('a');
  await asked.promise;
  inBackground(Promise.resolve(provider.close?.()));
  await expect(taking).rejects.toMatchObject(CLOSED);
});

it('a wait for a key ends when its provider is closed', async () => {
  const server = await LeaseServer.start();
  const held = await server.keys({ renewMs: 60_000, staleMs: 60_000 }).hold('a', HOLD);
  const provider = newProvider();
  const waiting = provider.keys?.waitUntilFree('a', { patience, signal });
  await expect.poll(() => held?.isWanted).toBe(true);
  await Promise.all([provider.close?.(), expect(waiting).rejects.toMatchObject(CLOSED)]);
  await held?.release();
});

it('a provider that is closed twice at the same time has left nothing after the second either', async () => {
  const server = await LeaseServer.start();
  const provider = newProvider();
  const held = await provider.keys?.hold('a', HOLD);
  await held?.release();
  expect(server.names('host')).toHaveLength(1);
  inBackground(Promise.resolve(provider.close?.()));
  await provider.close?.();
  expect(server.names('host')).toEqual([]);
});
