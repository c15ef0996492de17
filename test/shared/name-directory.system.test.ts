import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openNameDirectory } from '../../src/shared/held-names/name-directory.ts';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';
import { startTypeScript } from '../support/typescript-process.ts';

const PRINTER = new URL('./print-name-directory.ts', import.meta.url);
const isRoot = process.getuid?.() === 0;
/** Who looks for its directory in these tests: root has one that tests must not touch. */
const userId = isRoot ? 54_321 : (process.getuid?.() ?? 0);

/** What a process of the user finds where this is its runtime directory. */
async function find(
  runtime: string,
  ...args: readonly string[]
): Promise<Readonly<Record<string, string>>> {
  const env = { ...process.env, XDG_RUNTIME_DIR: runtime };
  const child = startTypeScript({ file: PRINTER, args, env, ...(isRoot && { userId }) });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  return JSON.parse(printed.toString()) as Readonly<Record<string, string>>;
}

/** Short, and where every user may go: the directory of all temporary files of a test run may be neither. */
async function runtimeDirectory(): Promise<string> {
  const directory = await mkdtemp('/tmp/sandboxed-ptc-names-');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  if (isRoot) await chown(directory, userId, userId);
  return directory;
}

describe('the directory of names', () => {
  it('is one that only this user can enter [host/name-directory]', async () => {
    const { mode, uid } = await lstat(await openNameDirectory());
    expect(mode & 0o777).toBe(0o700);
    expect(uid).toBe(process.getuid?.());
  });

  it('is in the runtime directory of the user, and another one once it is made anew', async () => {
    const runtime = await runtimeDirectory();
    const first = await find(runtime);
    expect(first['directory']).toBe(join(runtime, 'sandboxed-ptc'));
    expect(await find(runtime)).toEqual(first);
    // It stays until the second is made, or that could get its inode.
    await rename(join(runtime, 'sandboxed-ptc'), join(runtime, 'moved'));
    const second = await find(runtime);
    expect(second['directory']).toBe(first['directory']);
    expect(second['identity']).not.toBe(first['identity']);
  });

  it('is another one if its address is too long in bytes', async () => {
    const long = join(await runtimeDirectory(), '目'.repeat(20));
    await mkdir(long, { mode: 0o700 });
    if (isRoot) await chown(long, userId, userId);
    const { directory } = await find(long);
    expect(directory).toMatch(/^\/tmp\//);
    expect(directory).not.toContain(long);
  });

  it('is not taken if others can enter it, and says so [host/name-directory]', async () => {
    const runtime = await runtimeDirectory();
    await find(runtime);
    await chmod(join(runtime, 'sandboxed-ptc'), 0o755);
    expect(await find(runtime)).toMatchObject({
      code: 'NAMES_UNAVAILABLE',
      message: expect.stringMatching(/its mode is 755, not 700.*XDG_RUNTIME_DIR/),
    });
  });

  it('is not taken if it is a link', async () => {
    const runtime = await runtimeDirectory();
    await mkdir(join(runtime, 'elsewhere'), { mode: 0o700 });
    await symlink('elsewhere', join(runtime, 'sandboxed-ptc'));
    expect(await find(runtime)).toMatchObject({
      code: 'NAMES_UNAVAILABLE',
      message: expect.stringContaining('it is not a directory'),
    });
  });

  it(
    'is not taken if another user made it first [host/name-directory, host/names-unavailable]',
    skippedFor(NO_ROOT),
    async () => {
      const runtime = await runtimeDirectory();
      await mkdir(join(runtime, 'sandboxed-ptc'), { mode: 0o700 });
      expect(await find(runtime)).toMatchObject({
        code: 'NAMES_UNAVAILABLE',
        message: expect.stringContaining('it belongs to the user with the id 0'),
      });
    },
  );

  it('does not exist on Windows, and the error says what to do', async () => {
    expect(await find(await runtimeDirectory(), 'windows')).toMatchObject({
      code: 'NAMES_UNAVAILABLE',
      message: expect.stringMatching(/Windows does not have.*Windows Subsystem for Linux/),
    });
  });

  it('is elsewhere if others can write the runtime directory, or its path is too long for sockets', async () => {
    const open = await runtimeDirectory();
    await chmod(open, 0o777);
    const long = join(await runtimeDirectory(), 'x'.repeat(100));
    await mkdir(long);
    if (isRoot) await chown(long, userId, userId);
    for (const runtime of [open, long]) {
      const { directory } = await find(runtime);
      expect(directory).toBeDefined();
      expect(directory).not.toContain(runtime);
      if (isRoot && directory !== undefined) await rm(directory, { recursive: true });
    }
  });
});
