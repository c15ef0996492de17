import { describe, expect, test } from 'vitest';
import {
  GuestFiles,
  type RunWithFiles,
} from '../../../src/providers/bubblewrap/start/guest-files.ts';
import type { Guest } from '../../../src/sandbox/guests/guest.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const GUESTS: readonly Guest[] = [
  { languages: ['python'], program: '', command: () => [] },
  {
    languages: ['javascript'],
    program: 'python3',
    command: () => ['node'],
    installed: {
      files: { 'guest/script': 'a script' },
      command: () => ['node', 'script'],
      snapshot: {
        command: (directory, { memoryBytes }) => ['make', directory, String(memoryBytes)],
        read: (printed, directory) => ({
          files: { 'guest/snapshot': Buffer.from(printed) },
          command: ['node', `${directory}/guest/snapshot`],
        }),
      },
    },
  },
];
const SPEC = { languages: ['javascript'], limits: DEFAULT_LIMITS } as const;

/** A double for the sandbox in which snapshots are made. */
function filesOf(run: RunWithFiles): {
  readonly pathsFor: (memoryBytes?: number) => Promise<string[]>;
  readonly commandFor: () => Promise<readonly string[] | undefined>;
  readonly files: GuestFiles;
} {
  const files = new GuestFiles(GUESTS, run);
  return {
    files,
    pathsFor: async (memoryBytes = DEFAULT_LIMITS.memoryBytes) => {
      const spec = { ...SPEC, limits: { ...DEFAULT_LIMITS, memoryBytes } };
      return (await files.guestsFor(spec)).files.map(
        ({ path, content }) => `${path}: ${content.toString()}`,
      );
    },
    commandFor: async () => {
      const { guests } = await files.guestsFor(SPEC);
      return guests[0]?.installed?.command('/directory', SPEC.limits);
    },
  };
}

const SCRIPT = '/opt/sandboxed-ptc/guest/script: a script';

describe('the files of a guest', () => {
  test('are in no sandbox for other languages', async () => {
    const files = new GuestFiles(GUESTS, async () => undefined);
    const { files: none } = await files.guestsFor({ ...SPEC, languages: ['python'] });
    expect(none).toEqual([]);
  });

  test('are programs where they say what starts them', async () => {
    const installed = {
      files: { 'a.sh': '#!/bin/sh\n', 'b.sh': '# no program' },
      command: () => [],
    };
    const languages = ['javascript'] as const;
    const guest: Guest = { languages, program: 'node', command: () => [], installed };
    const { files } = await new GuestFiles([guest], async () => undefined).guestsFor(SPEC);
    expect(files.map(({ isProgram }) => isProgram)).toEqual([true, false]);
  });

  test('have a snapshot after a second sandbox was requested, one for each memory limit', async () => {
    const made: (readonly string[])[] = [];
    const { files, pathsFor, commandFor } = filesOf(async (command) => {
      made.push(command);
      return 'a snapshot';
    });
    expect(await pathsFor()).toEqual([SCRIPT]);
    expect(made).toEqual([]);
    expect(await commandFor()).toEqual(['node', 'script']);
    await files.settled();
    expect(await pathsFor()).toEqual([SCRIPT, '/opt/sandboxed-ptc/guest/snapshot: a snapshot']);
    expect(await commandFor()).toEqual(['node', '/opt/sandboxed-ptc/guest/snapshot']);
    expect(await pathsFor(2 ** 20)).toEqual([SCRIPT]);
    expect(made).toEqual([['make', '/opt/sandboxed-ptc', String(DEFAULT_LIMITS.memoryBytes)]]);
  });

  test('have none if it cannot be made, and it is not tried again', async () => {
    let tries = 0;
    const { files, pathsFor } = filesOf(async () => {
      tries += 1;
      return undefined;
    });
    for (let sandbox = 0; sandbox < 4; sandbox += 1) {
      expect(await pathsFor()).toEqual([SCRIPT]);
      await files.settled();
    }
    expect(tries).toBe(1);
  });
});
