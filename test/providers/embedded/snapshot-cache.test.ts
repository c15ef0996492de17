import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  link,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cacheDirectory,
  loadSnapshot,
  snapshotPath,
  storeSnapshot,
} from '../../../src/providers/embedded/snapshot/snapshot-cache.ts';
import { foreignAccess } from '../../../src/shared/files/own-file.ts';
import { compactSnapshot } from '../../../src/providers/embedded/snapshot/snapshot-format.ts';
import { NO_ROOT, ON_WINDOWS, skippedFor } from '../../support/skipped.ts';

describe('the cache of snapshots', () => {
  let directory = '';
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'ptc-cache-')), 'sandboxed-ptc');
  });
  afterEach(async () => rm(join(directory, '..'), { recursive: true, force: true }));

  let refusals: string[] = [];
  beforeEach(() => {
    refusals = [];
  });
  const load = async (path: string): Promise<Buffer | undefined> =>
    loadSnapshot(path, (why) => refusals.push(why));

  it('gives back what was stored, and nothing before that', async () => {
    const path = snapshotPath(directory, 'one');
    expect(await load(path)).toBeUndefined();
    await storeSnapshot(path, Buffer.from('memory'));
    expect(await load(path)).toEqual(Buffer.from('memory'));
    expect(await load(snapshotPath(directory, 'other'))).toBeUndefined();
  });

  it('is readable by its owner only', async () => {
    const path = snapshotPath(directory, 'one');
    await storeSnapshot(path, Buffer.from('memory'));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('takes a file that was cut or changed for none [embedded/snapshot-owner]', async () => {
    const path = snapshotPath(directory, 'one');
    await storeSnapshot(path, Buffer.alloc(10_000, 7));
    await truncate(path, 5000);
    expect(await load(path)).toBeUndefined();
    await storeSnapshot(path, Buffer.alloc(10_000, 7));
    const bytes = await readFile(path);
    bytes[9000] = 8;
    await writeFile(path, bytes);
    expect(await load(path)).toBeUndefined();
    await truncate(path, 0);
    expect(await load(path)).toBeUndefined();
  });

  describe('takes none that another user may have written:', skippedFor(ON_WINDOWS), () => {
    let path = '';
    beforeEach(async () => {
      path = snapshotPath(directory, 'one');
      await storeSnapshot(path, Buffer.from('memory'));
    });

    it.each([
      ['a file that its group can write', 0o620, 0o700],
      ['a file that all can write', 0o602, 0o700],
      ['a file in a directory that its group can write', 0o600, 0o770],
      ['a file in a directory that all can write', 0o600, 0o1777],
    ])('%s [embedded/snapshot-owner]', async (_, fileMode, directoryMode) => {
      expect(await load(path)).toEqual(Buffer.from('memory'));
      await chmod(path, fileMode);
      await chmod(directory, directoryMode);
      expect(await load(path)).toBeUndefined();
      expect(refusals).toEqual([expect.stringMatching(/is writable for other users/)]);
    });

    it('a link, and no file [host/snapshot-file]', async () => {
      await rename(path, `${path}.moved`);
      await symlink(`${path}.moved`, path);
      expect(await load(path)).toBeUndefined();
      await rm(path);
      await link(`${path}.moved`, path);
      expect(await load(path)).toBeDefined();
      await rm(path);
      // To open one waits for whoever writes into it.
      execFileSync('mkfifo', ['-m', '600', path]);
      expect(await load(path)).toBeUndefined();
      expect(refusals).toEqual([`${path} is not a regular file`]);
    });

    // To give a file away takes root's rights.
    it(
      'a file or a directory of another user [embedded/snapshot-owner]',
      skippedFor(NO_ROOT),
      async () => {
        await chown(path, 4711, 4711);
        expect(await load(path)).toBeUndefined();
        await chown(path, 0, 0);
        await chown(directory, 4711, 4711);
        expect(await load(path)).toBeUndefined();
        expect(refusals).toEqual([
          `${path} belongs to user 4711 instead of user 0`,
          `${directory} belongs to user 4711 instead of user 0`,
        ]);
      },
    );

    it('stores nothing in a directory that others can write to', async () => {
      await chmod(directory, 0o777);
      await expect(storeSnapshot(path, Buffer.from('new'))).rejects.toThrow(
        /is writable for other users \(its mode is 777\)/,
      );
    });
  });

  it.each([
    [{ uid: 1000, mode: 0o100600 }, 1000, undefined],
    [{ uid: 0, mode: 0o100644 }, 1000, undefined],
    [{ uid: 1001, mode: 0o100600 }, 1000, '/f belongs to user 1001 instead of user 1000'],
    [{ uid: 1001, mode: 0o100600 }, 0, '/f belongs to user 1001 instead of user 0'],
    [{ uid: 0, mode: 0o100664 }, 1000, '/f is writable for other users (its mode is 664)'],
    [{ uid: 1001, mode: 0o100666 }, undefined, undefined],
  ])('knows of %j whether user %s should take it', (facts, ownId, expected) => {
    expect(foreignAccess('/f', facts, ownId)).toBe(expected);
  });

  it('is never seen half written, however many store at once', async () => {
    const path = snapshotPath(directory, 'one');
    const snapshot = Buffer.alloc(1_000_000, 3);
    const done = new AbortController();
    const storing = Promise.all(
      Array.from({ length: 8 }, async () => storeSnapshot(path, snapshot)),
    );
    const reading = (async () => {
      const lengths = new Set<number>();
      // Once more after all are stored, so that it has been seen at least once.
      for (let isLast = false; ; isLast = done.signal.aborted) {
        const bytes = await readFile(path).catch(() => undefined);
        if (bytes) lengths.add(bytes.length);
        if (isLast) return lengths;
      }
    })();
    await storing;
    done.abort();
    expect([...(await reading)]).toEqual([1_000_032]);
    expect(await readdir(directory)).toEqual(['one.snapshot']);
  });

  it('stores one while another process removes others', async () => {
    const path = snapshotPath(directory, 'one');
    await storeSnapshot(path, Buffer.from('memory'));
    // It is listed, and not there when it is looked at.
    await symlink('removed', snapshotPath(directory, 'other'));
    await storeSnapshot(path, Buffer.from('newer'));
    expect(await load(path)).toEqual(Buffer.from('newer'));
  });

  it('keeps few snapshots of other versions', async () => {
    for (let version = 1; version <= 7; version += 1) {
      await storeSnapshot(snapshotPath(directory, `v${version}`), Buffer.from('memory'));
    }
    const kept = await readdir(directory);
    expect(kept).toHaveLength(4);
    expect(kept).toContain('v7.snapshot');
  });

  it('removes what a process that ended while it stored one has left', async () => {
    const path = snapshotPath(directory, 'one');
    await storeSnapshot(path, Buffer.from('memory'));
    const left = `${path}.left.tmp`;
    const underWay = `${path}.new.tmp`;
    await writeFile(left, '');
    await writeFile(underWay, '');
    const hours = 2 * 60 * 60;
    const before = Date.now() / 1000 - hours;
    await utimes(left, before, before);
    await storeSnapshot(path, Buffer.from('memory'));
    expect((await readdir(directory)).sort()).toEqual(['one.snapshot', 'one.snapshot.new.tmp']);
  });

  it('reports an error if it cannot be written', async () => {
    // A file where the directory should be: against that no user has a right.
    await writeFile(directory, '');
    const path = snapshotPath(directory, 'one');
    await expect(storeSnapshot(path, Buffer.from('memory'))).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(await load(path)).toBeUndefined();
  });

  it.each([
    ['linux', {}, '/home/me/.cache/sandboxed-ptc'],
    ['linux', { XDG_CACHE_HOME: '/fast' }, '/fast/sandboxed-ptc'],
    ['darwin', {}, '/home/me/Library/Caches/sandboxed-ptc'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/sandboxed-ptc/Cache'],
  ] as const)('is where %s keeps caches, with %j', (platform, environment, expected) => {
    expect(cacheDirectory(platform, environment, '/home/me')).toBe(expected);
  });
});

interface StoredSnapshot {
  readonly head: Uint8Array;
  readonly memoryBytes: number;
  readonly restore: (memory: Uint8Array) => void;
}

/** The other half, which the worker has. */
const { StoredSnapshot }: { StoredSnapshot: new (stored: Uint8Array) => StoredSnapshot } =
  await import(String(new URL('../../../runner/embedded/worker/snapshot.mjs', import.meta.url)));

describe('the format of snapshots', () => {
  it.each([
    [16, 32],
    [16, 4096],
    [128, 4112],
    [128, 100_000],
    [5008, 100_000],
  ])(
    'leaves out zero pages, and the worker restores them: a head of %i bytes of %i',
    (head, size) => {
      const snapshot = Buffer.alloc(size);
      for (let index = 8; index < size; index += 9000) snapshot[index] = (index % 251) + 1;
      snapshot.writeUInt32LE(head, 4);
      const stored = new StoredSnapshot(compactSnapshot(snapshot));
      expect([stored.head.length, stored.memoryBytes]).toEqual([head, size - head]);
      // An interpreter has written to its memory when it starts.
      const memory = Buffer.alloc(size - head, 1);
      stored.restore(memory);
      expect(snapshot.equals(Buffer.concat([stored.head, memory]))).toBe(true);
    },
  );

  it('takes little for zero pages', () => {
    expect(compactSnapshot(Buffer.alloc(1_000_000)).length).toBeLessThan(100);
  });
});
