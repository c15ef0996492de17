import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { InputFiles } from '../../../src/orchestrator/files/input-files.ts';
import type { GivenFile } from '../../../src/orchestrator/files/given-files.ts';
import { placeFiles } from '../../../src/orchestrator/files/place-files.ts';
import type { Session } from '../../../src/sessions/executor.ts';

function givenFile(name: string, text: string): GivenFile {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { file: { name, mediaType: 'text/plain', sizeBytes: bytes.length, sha256 }, bytes };
}

it('a file that an aborted request has replaced is written again', async () => {
  const sandbox = new Map<string, string>();
  let isAborted = false;
  const write = async (path: string, bytes: Uint8Array): Promise<void> => {
    if (isAborted && path.endsWith('/large')) throw new Error('aborted');
    sandbox.set(path, Buffer.from(bytes).toString());
  };
  const closing: Session['closing'] = new Promise(() => {});
  const session = { closing, files: { write } } as unknown as Session;
  const files = new InputFiles({ files: [], maxBytes: 1000, store: undefined, key: () => 'key' });
  const give = async (...given: readonly GivenFile[]): Promise<unknown> => {
    await files.add(given, []);
    return placeFiles(files, session);
  };
  await give(givenFile('data', 'one'));
  isAborted = true;
  await expect(give(givenFile('data', 'two'), givenFile('large', ''))).rejects.toThrow('aborted');
  isAborted = false;
  expect(await give(givenFile('data', 'one'))).toEqual([]);
  expect(Object.fromEntries(sandbox)).toEqual({
    '/tmp/inputs/data': 'one',
    '/tmp/inputs/large': '',
  });
});
