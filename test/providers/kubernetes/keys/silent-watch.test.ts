import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LeaseServer } from './lease-server.ts';

/** No host says that it lives: then a renewal cannot be what finds out that a connection was cut. */
const TIMES = { renewMs: 3_600_000, staleMs: 3_600_000 };
/** After which silence a watch is given up. */
const QUIET_MS = 180_000;
const SHORT_MS = 2000;
const ANSWER_MS = 60_000;

/** Has watches given up after a shorter silence. */
function shortenSilence(): void {
  const original = globalThis.setTimeout;
  const shorter = (work: () => void, ms?: number): NodeJS.Timeout =>
    original(work, ms === QUIET_MS ? SHORT_MS : ms);
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shorter);
  onTestFinished(() => spy.mockRestore());
}

/** Who asks for a key gives up if its holder does not answer. @returns whether the holder heard it. */
async function asks(server: LeaseServer, heard: () => boolean): Promise<void> {
  const time = performance.now() + ANSWER_MS;
  const patience = { deadline: time, answerDeadline: time };
  const asking = new AbortController();
  const waiting = server.keys(TIMES).waitUntilFree('a', { patience, signal: asking.signal });
  waiting.catch(() => {});
  await expect.poll(heard).toBe(true);
  asking.abort();
}

it('a holder whose watch was cut in silence opens another one, and hears who asks for its key', async () => {
  shortenSilence();
  const server = await LeaseServer.start();
  const onAsked = vi.fn<() => boolean>(() => false);
  const held = await server.keys(TIMES).hold('a', { onAsked });
  await expect.poll(() => server.watches.length).toBe(1);
  server.isSilent = true;
  await asks(server, () => onAsked.mock.calls.length > 0);
  await held?.release();
});

it('a watch to which no answer comes is given up as well', async () => {
  shortenSilence();
  const server = await LeaseServer.start();
  server.isDeaf = true;
  const held = await server.keys(TIMES).hold('a', { onAsked: () => false });
  await expect.poll(() => server.watches.length).toBeGreaterThan(1);
  await held?.release();
});

it('a watch on which the API server says now and then that it lives stays open', async () => {
  shortenSilence();
  const server = await LeaseServer.start();
  const onAsked = vi.fn<() => boolean>(() => false);
  const held = await server.keys(TIMES).hold('a', { onAsked });
  await expect.poll(() => server.watches.length).toBe(1);
  expect(server.watches[0]).toContain('allowWatchBookmarks=true');
  for (let time = 0; time < 1.5 * SHORT_MS; time += SHORT_MS / 5) {
    server.say('BOOKMARK', { kind: 'Lease', metadata: { resourceVersion: '9' } });
    await delay(SHORT_MS / 5);
  }
  expect(server.watches).toHaveLength(1);
  await asks(server, () => onAsked.mock.calls.length > 0);
  await held?.release();
});
