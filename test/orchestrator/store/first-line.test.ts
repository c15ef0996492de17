import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConversationFile } from '../../../src/orchestrator/store/file/conversation-file.ts';
import { refusalOf } from '../support.ts';
import { ended, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

/** A key with characters of several bytes, and with some that JSON escapes. */
const KEY = 'a"b\\c\n§\u0001';
const LINE = Buffer.from(`${JSON.stringify({ conversation: KEY })}\n`);

async function fileWith(content: string | Buffer): Promise<string> {
  const file = path.join(await makeDirectory(), 'kept.jsonl');
  await writeFile(file, content);
  return file;
}

describe.each([
  ['known', KEY],
  ['not known', undefined],
])('the first line of a file whose key is %s', (_what, key) => {
  it('may have been cut off anywhere by the end of a process', async () => {
    const whole = `{"conversation":"new"}\n${JSON.stringify(ended('1'))}\n`;
    // The last one before the line feed is a whole JSON document.
    const longest = key === undefined ? LINE.length - 2 : LINE.length - 1;
    for (let length = 0; length <= longest; length += 1) {
      const file = await fileWith(LINE.subarray(0, length));
      expect(await new ConversationFile(file, key).load(0)).toEqual([]);
      await new ConversationFile(file, key).append('new', [ended('1')], 0);
      expect(await readFile(file, 'utf8')).toBe(whole);
    }
  });

  it.each([
    ['a document', '{"conversation":{"version":1,"messages":[]}}'],
    ['a document and a line feed', '{"conversation":{"version":1,"messages":[]}}\n'],
    ['the start of a document', '{"conversation":{"versi'],
    ['a text', '{"conversation":"a year of work"}'],
    ['a text and more', '{"conversation":"a","note":"a year of work"}'],
    ['a text, more and a line feed', '{"conversation":"a","note":"a year of work"}\n'],
    ['a line break in a text', '{"conversation":"a\nb'],
    ['a tab in a text', '{"conversation":"a\tb'],
    ['no text', '{"conversation":null}'],
  ])('is not %s, which stays as it is', async (_case, content) => {
    const file = await fileWith(content);
    const opened = new ConversationFile(file, key);
    const refused = {
      code: 'CONVERSATION_INVALID',
      message: expect.stringContaining('begins with {"conversation":'),
    };
    expect(await refusalOf(opened.load(0))).toMatchObject(refused);
    expect(await refusalOf(opened.append('new', [ended('1')], 0))).toMatchObject(refused);
    expect(await readFile(file, 'utf8')).toBe(content);
  });
});
