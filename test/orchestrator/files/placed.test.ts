import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { InputFiles } from '../../../src/orchestrator/files/input-files.ts';
import type { GivenFile } from '../../../src/orchestrator/files/given-files.ts';
import { placeFiles } from '../../../src/orchestrator/files/place-files.ts';
import type { InputFile } from '../../../src/orchestrator/files/input-file.ts';
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

/** A session that keeps what is written, and files of conversations that use it. */
function makeSession() {
  const sandbox = new Map<string, string>();
  const write = async (path: string, bytes: Uint8Array): Promise<void> => {
    sandbox.set(path, Buffer.from(bytes).toString());
  };
  const closing: Session['closing'] = new Promise(() => {});
  const session = { closing, files: { write } } as unknown as Session;
  const makeFiles = (files: readonly InputFile[]): InputFiles =>
    new InputFiles({ files, maxBytes: 1000, store: undefined, key: () => 'key' });
  return { sandbox, session, makeFiles };
}

const WHERE = '/tmp/inputs/data';
const GONE = ['The file "/tmp/inputs/data" is gone. Ask the user to give it again if you need it.'];

it('a file that is given again is written again, also if its bytes are the same', async () => {
  const { sandbox, session, makeFiles } = makeSession();
  const files = makeFiles([]);
  await files.add([givenFile('data', 'one')], []);
  await placeFiles(files, session);
  await files.endRun(true);
  sandbox.set(WHERE, 'changed');
  await placeFiles(files, session);
  expect(sandbox.get(WHERE)).toBe('changed');
  await files.add([givenFile('data', 'one')], []);
  expect(await placeFiles(files, session)).toEqual([]);
  expect(sandbox.get(WHERE)).toBe('one');
  await files.endRun(true);
  // A program may change it again, and then it is given to a run whose request is not kept.
  sandbox.set(WHERE, 'changed');
  await files.add([givenFile('data', 'one')], []);
  files.restore();
  await placeFiles(files, session);
  expect(sandbox.get(WHERE)).toBe('changed');
});

it('two conversations in a session do not write again what both were given', async () => {
  const { sandbox, session, makeFiles } = makeSession();
  const both = [makeFiles([]), makeFiles([])];
  for (const files of both) {
    await files.add([givenFile('data', 'one')], []);
    await placeFiles(files, session);
  }
  sandbox.set(WHERE, 'changed');
  for (const files of both) await placeFiles(files, session);
  expect(sandbox.get(WHERE)).toBe('changed');
});

it('a file that is gone is told once, and written if it is given again', async () => {
  const { sandbox, session, makeFiles } = makeSession();
  const given = givenFile('data', 'one');
  const files = makeFiles([given.file]);
  expect(await placeFiles(files, session)).toEqual(GONE);
  expect(await placeFiles(files, session)).toEqual([]);
  await files.add([given], [given.file]);
  expect(await placeFiles(files, session)).toEqual([]);
  expect(sandbox.get(WHERE)).toBe('one');
});

it('a file that is gone for one conversation is written for another that has its bytes', async () => {
  const { sandbox, session, makeFiles } = makeSession();
  const given = givenFile('data', 'one');
  const has = makeFiles([]);
  await has.add([given], []);
  const lacks = makeFiles([given.file]);
  expect(await placeFiles(lacks, session)).toEqual(GONE);
  expect(await placeFiles(has, session)).toEqual([]);
  expect(sandbox.get(WHERE)).toBe('one');
  expect(await placeFiles(lacks, session)).toEqual([]);
});
