import { open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ImageDataBlock, ModelMessage } from '../../../src/models/language-model.ts';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { inParts } from '../../../src/orchestrator/store/message-parts.ts';
import { ended, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

const MEGABYTE = 2 ** 20;

/** What all open files have their methods from, which Node does not export. */
async function fileHandle(): Promise<FileHandle> {
  await using file = await open(import.meta.filename);
  return Object.getPrototypeOf(file) as FileHandle;
}

/** A message with images of this many characters. The first block tells it from others. */
function messageWith(count: number, length: number): ModelMessage {
  const image: ImageDataBlock = {
    type: 'image',
    mediaType: 'image/png',
    data: 'A'.repeat(length),
  };
  const images = Array.from({ length: count }, () => image);
  return { role: 'user', content: [{ type: 'text', text: `${count}` }, ...images] };
}

function entryOf(messages: readonly ModelMessage[]): ConversationEntry {
  return { type: 'messages', runId: 'r', from: 0, messages, usage: NO_USAGE, hasState: false };
}

it('an entry with many large images is written in pieces, and its end is known', async () => {
  const directory = await makeDirectory();
  const store = fileStore({ directory });
  const handle = await fileHandle();
  const writing = vi.spyOn(handle, 'appendFile');
  const reading = vi.spyOn(handle, 'read');
  onTestFinished(() => {
    writing.mockRestore();
    reading.mockRestore();
  });
  const large = entryOf([messageWith(6, 2 * MEGABYTE)]);
  await store.append({ key: 'a', entries: [ended('1'), large], after: 0 });
  const sizes = writing.mock.calls.map(([data]) => (data as Buffer).length);
  expect(Math.max(...sizes)).toBeLessThan(3 * MEGABYTE);
  await store.append({ key: 'a', entries: [ended('2')], after: 2 });
  const lengths = reading.mock.calls.map((parameters: readonly unknown[]) => Number(parameters[2]));
  // It is compared with what is in the file before more is added.
  expect(lengths.length).toBeGreaterThan(10);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(MEGABYTE);
  const [name = ''] = await readdir(directory);
  const lines = (await readFile(path.join(directory, name), 'utf8')).split('\n');
  const written = [{ conversation: 'a' }, ended('1'), large, ended('2')];
  // Not toEqual, which would print the images.
  expect(lines.join('\n') === `${written.map((one) => JSON.stringify(one)).join('\n')}\n`).toBe(
    true,
  );
});

it('small entries are written at once', async () => {
  const directory = await makeDirectory();
  const store = fileStore({ directory });
  const writing = vi.spyOn(await fileHandle(), 'appendFile');
  onTestFinished(() => writing.mockRestore());
  const entries = Array.from({ length: 100 }, (_, index) => ended(`${index}`));
  await store.append({ key: 'a', entries, after: 0 });
  expect(writing).toHaveBeenCalledOnce();
  expect(await store.load({ key: 'a', after: 0 })).toEqual(entries);
});

it('to divide messages makes no text of all images of one', async () => {
  const large = messageWith(6, 2 * MEGABYTE);
  const small = messageWith(1, 10);
  const stringify = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => stringify.mockRestore());
  const parts = await inParts([small, small, large, small]);
  const lengths = stringify.mock.results.map(({ value }) => String(value).length);
  stringify.mockRestore();
  expect(parts.map(({ length }) => length)).toEqual([2, 1, 1]);
  expect(Math.max(...lengths)).toBeLessThan(2 * MEGABYTE);
});
