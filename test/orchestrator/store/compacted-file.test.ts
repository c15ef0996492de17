import {
  chmod,
  chown,
  open,
  readdir,
  readFile,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileStore, type FileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { NO_ROOT, skippedFor } from '../../support/skipped.ts';
import { ended, entriesWithCalls, NEVER, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();
const ENTRIES = entriesWithCalls(1000);

/** What all open files have their methods from, which Node does not export. */
async function fileHandle(): Promise<FileHandle> {
  await using file = await open(import.meta.filename);
  return Object.getPrototypeOf(file) as FileHandle;
}

async function longConversation(): Promise<{ directory: string; store: FileStore; file: string }> {
  const directory = await makeDirectory();
  const store = fileStore({ directory });
  await store.append({ key: 'a', entries: ENTRIES, after: 0 });
  const [name = ''] = await readdir(directory);
  return { directory, store, file: path.join(directory, name) };
}

async function compact(store: FileStore): Promise<void> {
  await (await store.hold({ key: 'a', ...NEVER })).release();
}

describe('a file of fileStore whose calls are dropped', () => {
  it('keeps its first line, its entries and its mode, and leaves no other file', async () => {
    const { directory, store, file } = await longConversation();
    await chmod(file, 0o640);
    await compact(store);
    const lines = (await readFile(file, 'utf8')).split('\n');
    const kept = [{ conversation: 'a' }, ENTRIES[0], ENTRIES.at(-2), ENTRIES.at(-1)];
    const [first, began, ...rest] = lines;
    expect([first, began, ...rest.slice(-3)]).toEqual([
      ...kept.map((line) => JSON.stringify(line)),
      '',
    ]);
    expect(new Set(rest.slice(0, -3))).toEqual(new Set(['null']));
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(directory)).toEqual([path.basename(file)]);
  });

  it('keeps its group', skippedFor(NO_ROOT), async () => {
    const { store, file } = await longConversation();
    await chown(file, 0, 20_001);
    const { size } = await stat(file);
    await compact(store);
    const after = await stat(file);
    expect(after).toMatchObject({ uid: 0, gid: 20_001 });
    expect(after.size).toBeLessThan(size);
  });

  it('is written again only if more than half of it is dropped', async () => {
    const { store, file } = await longConversation();
    const content = [{ type: 'text' as const, text: 'x'.repeat(2_000_000) }];
    const messages = { ...ENTRIES.at(-2), messages: [{ role: 'user', content }] };
    await store.append({
      key: 'a',
      entries: [messages as (typeof ENTRIES)[number]],
      after: ENTRIES.length,
    });
    const { ino } = await stat(file);
    await compact(store);
    expect(await stat(file)).toMatchObject({ ino });
  });

  it.each(['writeFile', 'sync'] as const)(
    'stays as it was if %s fails because the disk is full, and the next run goes on',
    async (method) => {
      const { directory, store, file } = await longConversation();
      const before = await readFile(file, 'utf8');
      const full = Object.assign(new Error('No space left.'), { code: 'ENOSPC' });
      const failing = vi.spyOn(await fileHandle(), method).mockRejectedValue(full);
      onTestFinished(() => failing.mockRestore());
      await compact(store);
      expect(failing).toHaveBeenCalledOnce();
      // It is not tried again and again.
      await compact(store);
      expect(failing).toHaveBeenCalledOnce();
      failing.mockRestore();
      expect(await readFile(file, 'utf8')).toBe(before);
      expect(await readdir(directory)).toEqual([path.basename(file)]);
      await store.append({ key: 'a', entries: [ended('2')], after: ENTRIES.length });
      expect(await fileStore({ directory }).load({ key: 'a', after: ENTRIES.length })).toEqual([
        ended('2'),
      ]);
    },
  );

  it('is the old one until the new one is whole, also if the process ends before', async () => {
    const { directory, store, file } = await longConversation();
    const handle = await fileHandle();
    const whole = (await readFile(file)).length;
    const sizes: number[] = [];
    const syncing = vi.spyOn(handle, 'sync').mockImplementation(async () => {
      sizes.push((await stat(file)).size);
      expect(await fileStore({ directory }).load({ key: 'a', after: ENTRIES.length - 1 })).toEqual(
        ENTRIES.slice(-1),
      );
    });
    onTestFinished(() => syncing.mockRestore());
    await compact(store);
    // The new file, and then the directory, which has it.
    expect(sizes).toEqual([whole, expect.any(Number)]);
    expect(sizes[1]).toBeLessThan(whole / 2);
  });

  it('is not spoiled by what a killed process left of its new file', async () => {
    const { directory, store, file } = await longConversation();
    await writeFile(`${file}.compacting`, '{"conversation":"a"}\n{"type":"run-');
    expect(await fileStore({ directory }).load({ key: 'a', after: ENTRIES.length - 1 })).toEqual(
      ENTRIES.slice(-1),
    );
    await compact(store);
    expect(await readdir(directory)).toEqual([path.basename(file)]);
    await writeFile(`${file}.compacting`, 'left');
    await store.remove('a');
    expect(await readdir(directory)).toEqual([]);
  });

  it('may be replaced while another process reads it', async () => {
    const { directory, store } = await longConversation();
    const reader = fileStore({ directory });
    await reader.load({ key: 'a', after: 0 });
    const handle = await fileHandle();
    const read = Reflect.get(handle, 'read') as (...parameters: unknown[]) => Promise<unknown>;
    const reading = vi.spyOn(handle, 'read').mockImplementationOnce(async function (
      this: FileHandle,
      ...parameters: unknown[]
    ) {
      const result = await Reflect.apply(read, this, parameters);
      await compact(store);
      return result as never;
    });
    onTestFinished(() => reading.mockRestore());
    expect(await reader.load({ key: 'a', after: ENTRIES.length - 1 })).toEqual(ENTRIES.slice(-1));
    expect(reading).toHaveBeenCalled();
    expect(await reader.load({ key: 'a', after: ENTRIES.length - 1 })).toEqual(ENTRIES.slice(-1));
    await store.append({ key: 'a', entries: [ended('2')], after: ENTRIES.length });
    expect(await reader.load({ key: 'a', after: ENTRIES.length })).toEqual([ended('2')]);
    await reader.append({ key: 'a', entries: [ended('3')], after: ENTRIES.length + 1 });
    expect(await store.load({ key: 'a', after: ENTRIES.length })).toEqual([ended('2'), ended('3')]);
  });

  it('is not confused with the old one by a writer that knew it at the same length', async () => {
    const { directory, store, file } = await longConversation();
    const { size } = await stat(file);
    const writer = fileStore({ directory });
    await writer.load({ key: 'a', after: 0 });
    await compact(store);
    const missing = size - (await stat(file)).size - `${JSON.stringify(ended(''))}\n`.length;
    await store.append({ key: 'a', entries: [ended('x'.repeat(missing))], after: ENTRIES.length });
    expect((await stat(file)).size).toBe(size);
    await expect(
      writer.append({ key: 'a', entries: [ended('lost')], after: ENTRIES.length }),
    ).rejects.toMatchObject({
      code: 'CONVERSATION_CONFLICT',
    });
    await writer.append({ key: 'a', entries: [ended('2')], after: ENTRIES.length + 1 });
    expect(await store.load({ key: 'a', after: ENTRIES.length + 1 })).toEqual([ended('2')]);
  });
});
