import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { makeDirectory } from '../../../src/shared/files/make-directory.ts';

let base = '';
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-directories-'));
});
afterAll(async () => rm(base, { recursive: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('a directory', () => {
  it('is created with all that are missing above it, also by several callers at once', async () => {
    const path = join(base, 'a/b/c');
    await Promise.all(Array.from({ length: 8 }, async () => makeDirectory(path, 0o700)));
    await makeDirectory(path, 0o755);
    expect(await Promise.all([path, join(base, 'a/b'), join(base, 'a')].map(modeOf))).toEqual([
      0o700, 0o700, 0o700,
    ]);
  });

  it('can be a link to one', async () => {
    const link = join(base, 'link');
    await symlink(base, link);
    await makeDirectory(link);
    await makeDirectory(join(link, 'below'));
    expect((await stat(join(base, 'below'))).isDirectory()).toBe(true);
  });

  it('cannot be created below a file, or with the name of one', async () => {
    const file = join(base, 'file');
    await writeFile(file, '');
    await expect(makeDirectory(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeDirectory(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  // The recursive mkdir of Node does not end here, and keeps a thread of its pool busy.
  it('that the system refuses to create is named, also by fileStore', async () => {
    const refusal = { code: 'ENOENT', path: '/proc/none' };
    await expect(makeDirectory('/proc/none/a/b')).rejects.toMatchObject(refusal);
    const store = fileStore({ directory: '/proc/none/a' });
    await expect(store.append({ key: 'key', entries: [], after: 0 })).rejects.toMatchObject(
      refusal,
    );
  });
});
