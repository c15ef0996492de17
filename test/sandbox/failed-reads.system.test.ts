import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Spawner } from '../../src/providers/bubblewrap/start/spawner.ts';
import { nodeGuest } from '../../src/sandbox/guests/javascript-guest.ts';
import { UNKNOWN_MACHINE } from '../../src/sandbox/ownership/owner.ts';
import { Ownership } from '../../src/sandbox/ownership/ownership.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';

const files = vi.hoisted(() => ({ areReadable: true }));

/** As a process that has no free file descriptor. */
vi.mock(import('node:fs/promises'), async (load) => {
  const real = await load();
  const readFile = (async (...args: Parameters<typeof real.readFile>) => {
    if (files.areReadable) return real.readFile(...args);
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  }) as typeof real.readFile;
  return { ...real, readFile };
});

/** Runs `act` while no file can be read. */
async function withoutFiles<Result>(act: () => Promise<Result>): Promise<Result> {
  files.areReadable = false;
  try {
    return await act();
  } finally {
    files.areReadable = true;
  }
}

beforeEach(() => {
  files.areReadable = true;
});

describe('when files can be read again', () => {
  test('the guest for JavaScript is read', async () => {
    await expect(withoutFiles(nodeGuest)).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringMatching(/EMFILE: too many open files\. Raise the limit .*ulimit -n/),
    });
    await expect(nodeGuest()).resolves.toMatchObject({ program: 'node' });
  });

  test('an owner takes its name, and keeps it', async () => {
    const owner = new Ownership();
    onTestFinished(async () => owner.release());
    const unknown = expect.stringMatching(`^${UNKNOWN_MACHINE}/`);
    expect(await withoutFiles(async () => owner.label())).toEqual(unknown);
    const label = await owner.label();
    expect(label).not.toEqual(unknown);
    expect(await withoutFiles(async () => owner.label())).toBe(label);
  });

  describeWithBubblewrap('with bubblewrap', () => {
    test('the program that starts sandboxes is read', async () => {
      const spawner = new Spawner(['echo', 'started']);
      onTestFinished(async () => spawner.close());
      const request = { userId: undefined, inputs: [], outputs: [1], files: new Map() };
      await expect(withoutFiles(async () => spawner.start(request))).rejects.toThrow('EMFILE');
      const spawned = await spawner.start(request);
      expect(await text(spawned.stream(1))).toBe('started\n');
    });
  });
});
