import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { refusal } from '../cluster/scripted-server.ts';
import { LeaseServer } from './lease-server.ts';

const TIMES = { renewMs: 60_000, staleMs: 60_000 };
const HOLD = { onAsked: () => false };

it('a host that cannot follow its keys asks less and less often', async () => {
  const server = await LeaseServer.start();
  server.isBusy = true;
  const held = await server.keys(TIMES).hold('a', HOLD);
  await delay(3000);
  // At once, and then after 250, 500, 1000 and 2000 ms.
  expect(server.lists).toBeLessThanOrEqual(4);
  server.isBusy = false;
  await expect.poll(() => server.watches.length).toBe(1);
  await held?.release();
});

describe('a key that the API server does not let go', () => {
  it.each([
    ['forbids it', refusal(403, 'Forbidden', 'leases is forbidden')],
    ['is not ready', refusal(503, 'ServiceUnavailable', 'not ready')],
  ])('is left later, and not after the keys are closed, if it %s', async (_why, answer) => {
    const server = await LeaseServer.start();
    let refused = 0;
    server.meddle = ({ method, name }, response) => {
      if (method !== 'DELETE' || !name.startsWith('sandboxed-ptc-key-')) return false;
      refused += 1;
      answer(response.req, response);
      return true;
    };
    const keys = server.keys(TIMES);
    const held = await keys.hold('a', HOLD);
    await held?.release();
    await expect.poll(() => refused).toBeGreaterThan(1);
    await keys.close();
    const last = refused;
    await delay(3000);
    // One may have been on its way.
    expect(refused - last).toBeLessThanOrEqual(1);
  });
});
