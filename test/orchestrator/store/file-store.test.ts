import { execFile } from 'node:child_process';
import {
  appendFile,
  chown,
  copyFile,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { NO_ROOT, skippedFor } from '../../support/skipped.ts';
import { refusalOf } from '../support.ts';
import { ended, NEVER, orderOfHolders, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

/** What all open files have their methods from, which Node does not export. */
async function fileHandle(): Promise<FileHandle> {
  await using file = await open(import.meta.filename);
  return Object.getPrototypeOf(file) as FileHandle;
}

/** How often a file was read from its start. What is known of a file is compared with its last line alone. */
function readsOfWhole({
  mock,
}: {
  readonly mock: { readonly calls: readonly unknown[][] };
}): number {
  return mock.calls.filter(([, , , position]) => position === 0).length;
}

describe('the files of fileStore', () => {
  const only = async (directory: string): Promise<string> => {
    const [name = ''] = await readdir(directory);
    return path.join(directory, name);
  };

  it('are for their user alone, a line of JSON for each entry after one with the key', async () => {
    const directory = path.join(await makeDirectory(), 'new', 'one');
    const store = fileStore({ directory });
    // What holds it makes the directory too.
    await (await store.hold({ key: 'a', ...NEVER })).release();
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    const file = await only(directory);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe(
      `{"conversation":"a"}\n${JSON.stringify(ended('1'))}\n`,
    );
  });

  it.each(['{"type":"run-en', '{'])(
    'lose only the line that a killed process was writing: %j',
    async (torn) => {
      const directory = await makeDirectory();
      const store = fileStore({ directory });
      await store.append({ key: 'a', entries: [ended('1')], after: 0 });
      await appendFile(await only(directory), torn);
      const later = fileStore({ directory });
      expect(await later.load({ key: 'a', after: 0 })).toEqual([ended('1')]);
      await later.append({ key: 'a', entries: [ended('2')], after: 1 });
      expect(await fileStore({ directory }).load({ key: 'a', after: 0 })).toEqual([
        ended('1'),
        ended('2'),
      ]);
    },
  );

  it('go on after a process that was killed while it wrote the first line', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    await writeFile(await only(directory), '{"conver');
    expect(await fileStore({ directory }).load({ key: 'a', after: 0 })).toEqual([]);
    await fileStore({ directory }).append({ key: 'a', entries: [ended('2')], after: 0 });
    expect(await fileStore({ directory }).load({ key: 'a', after: 0 })).toEqual([ended('2')]);
  });

  it('are not followed if they are links, nor taken if a line is not JSON', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    await appendFile(await only(directory), 'no JSON\n');
    expect(await refusalOf(fileStore({ directory }).load({ key: 'a', after: 0 }))).toMatchObject({
      code: 'CONVERSATION_INVALID',
      message: expect.stringMatching(/entry 1 .*is not JSON/),
    });
    expect((await refusalOf(store.load({ key: 'a', after: 1 }))).message).toMatch(
      /entry 1 .*is not JSON/,
    );
    const linked = path.join(await makeDirectory(), 'linked');
    await fileStore({ directory: linked }).append({ key: 'a', entries: [], after: 0 });
    const file = await only(linked);
    await store.remove('a');
    await rm(file);
    await symlink('/etc/passwd', file);
    await expect(fileStore({ directory: linked }).load({ key: 'a', after: 0 })).rejects.toThrow(
      /ELOOP/,
    );
    await expect(
      fileStore({ directory: linked }).append({ key: 'a', entries: [], after: 0 }),
    ).rejects.toThrow(/ELOOP/);
  });

  it('are not waited for if another user has put a FIFO in their place', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    const file = await only(directory);
    await rm(file);
    await promisify(execFile)('mkfifo', [file]);
    const refused = `${file} is not a regular file`;
    await expect(fileStore({ directory }).load({ key: 'a', after: 0 })).rejects.toThrow(refused);
    await expect(
      fileStore({ directory }).append({ key: 'a', entries: [ended('2')], after: 0 }),
    ).rejects.toThrow(refused);
  });

  it('are refused if they belong to another user', skippedFor(NO_ROOT), async () => {
    const directory = await makeDirectory();
    await fileStore({ directory }).append({ key: 'a', entries: [ended('1')], after: 0 });
    const file = await only(directory);
    await chown(file, 20_001, 20_001);
    const refused = `${file} belongs to user 20001 instead of user 0`;
    await expect(fileStore({ directory }).load({ key: 'a', after: 0 })).rejects.toThrow(refused);
    await expect(
      fileStore({ directory }).append({ key: 'a', entries: [ended('2')], after: 1 }),
    ).rejects.toThrow(refused);
  });

  it('are refused if they are those of another key', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    const file = await only(directory);
    await store.append({ key: 'b', entries: [ended('2')], after: 0 });
    const other = (await readdir(directory)).find((name) => name !== path.basename(file)) ?? '';
    await copyFile(file, path.join(directory, other));
    const refused = {
      code: 'CONVERSATION_INVALID',
      message: expect.stringContaining(
        'its file belongs to another one: it begins with {"conversation":"a"}',
      ),
    };
    const later = fileStore({ directory });
    expect(await refusalOf(later.load({ key: 'b', after: 0 }))).toMatchObject(refused);
    expect(
      await refusalOf(later.append({ key: 'b', entries: [ended('3')], after: 1 })),
    ).toMatchObject(refused);
    expect(await later.load({ key: 'a', after: 0 })).toEqual([ended('1')]);
  });

  it('are left as they are if something else is in them', async () => {
    const directory = await makeDirectory();
    await fileStore({ directory }).append({ key: 'a', entries: [ended('1')], after: 0 });
    const file = await only(directory);
    await writeFile(file, 'notes\nwithout an end of line');
    const store = fileStore({ directory });
    const refused = { code: 'CONVERSATION_INVALID', message: expect.stringMatching(/begin with/) };
    expect(await refusalOf(store.load({ key: 'a', after: 0 }))).toMatchObject(refused);
    expect(
      await refusalOf(store.append({ key: 'a', entries: [ended('2')], after: 0 })),
    ).toMatchObject(refused);
    expect(await readFile(file, 'utf8')).toBe('notes\nwithout an end of line');
  });

  it('are flushed to disk, a new one with its directory, before what was written counts', async () => {
    const directory = await makeDirectory();
    const failure = new Error('The disk is broken.');
    const handle = await fileHandle();
    for (const [method, after] of [
      ['sync', 0],
      ['datasync', 1],
    ] as const) {
      const flush = vi.spyOn(handle, method).mockRejectedValueOnce(failure);
      const store = fileStore({ directory });
      await expect(store.append({ key: 'a', entries: [ended('1')], after })).rejects.toBe(failure);
      flush.mockRestore();
      // It was written all the same.
      expect(await store.load({ key: 'a', after })).toEqual([ended('1')]);
      await store.append({ key: 'a', entries: [], after: after + 1 });
    }
  });

  it('are read once, however often something is added', async () => {
    const directory = await makeDirectory();
    await fileStore({ directory }).append({ key: 'a', entries: [ended('1')], after: 0 });
    const reading = vi.spyOn(await fileHandle(), 'read');
    const store = fileStore({ directory });
    await store.load({ key: 'a', after: 0 });
    for (let after = 1; after < 10; after += 1) {
      await store.append({ key: 'a', entries: [ended('more')], after });
      await store.append({ key: 'b', entries: [ended('more')], after: after - 1 });
    }
    await store.load({ key: 'a', after: 10 });
    const reads = readsOfWhole(reading);
    reading.mockRestore();
    // `a`. There was nothing to read of `b` when it was new.
    expect(reads).toBe(1);
  });

  it('are read again if a thousand others were used since, so that the memory for them is bounded', async () => {
    const store = fileStore({ directory: await makeDirectory() });
    await store.append({ key: 'first', entries: [ended('1')], after: 0 });
    await store.append({ key: 'second', entries: [ended('1')], after: 0 });
    await store.load({ key: 'first', after: 1 });
    for (let at = 0; at < 999; at += 1) await store.load({ key: `new ${at}`, after: 0 });
    const reading = vi.spyOn(await fileHandle(), 'read');
    await store.append({ key: 'first', entries: [ended('2')], after: 1 });
    const readsOfUsed = readsOfWhole(reading);
    await store.append({ key: 'second', entries: [ended('2')], after: 1 });
    const reads = readsOfWhole(reading);
    reading.mockRestore();
    expect([readsOfUsed, reads]).toEqual([0, 1]);
  });

  it('are not confused with removed ones of the same length', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.append({ key: 'a', entries: [ended('1'), ended('2')], after: 0 });
    const file = await only(directory);
    const { size } = await stat(file);
    await store.remove('a');
    const short = JSON.stringify(ended(''));
    const rest = size - `{"conversation":"a"}\n${short}\n`.length;
    await fileStore({ directory }).append({
      key: 'a',
      entries: [ended('x'.repeat(rest))],
      after: 0,
    });
    expect((await stat(file)).size).toBe(size);
    await store.append({ key: 'a', entries: [ended('2')], after: 1 });
    expect(await store.load({ key: 'a', after: 1 })).toEqual([ended('2')]);
  });

  it('are closed after each use, as is their directory', async () => {
    const directory = await realpath(await makeDirectory());
    const store = fileStore({ directory });
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    await store.load({ key: 'a', after: 0 });
    const numbers = await readdir('/proc/self/fd');
    const paths = await Promise.all(
      numbers.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => '')),
    );
    expect(paths.filter((one) => one.startsWith(directory))).toEqual([]);
  });

  it('are held under one name, no matter by which path they are opened', async () => {
    const directory = await makeDirectory();
    const linked = path.join(await makeDirectory(), 'linked');
    await symlink(directory, linked);
    const order = await orderOfHolders(fileStore({ directory: linked }), fileStore({ directory }));
    expect(order).toEqual(['released', 'taken']);
  });

  it('stay where they were when the process changes its directory', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory: path.relative(process.cwd(), directory) });
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue('/');
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    cwd.mockRestore();
    expect(await fileStore({ directory }).load({ key: 'a', after: 0 })).toEqual([ended('1')]);
  });

  it.each([[''], [undefined], [new URL('file:///tmp')]])(
    'need a directory, not %o',
    (directory) => {
      expect(() => fileStore({ directory: directory as string })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      );
    },
  );
});
