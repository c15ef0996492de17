import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { FileSandbox } from '../../../src/execution/files/file-requests.ts';
import { SandboxFiles } from '../../../src/execution/files/sandbox-files.ts';
import { ConversationFiles } from '../../../src/orchestrator/files/conversation-files.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { SessionFiles } from '../../../src/tools/session-files.ts';
import { filesOf } from './fake-files.ts';

/** Both kinds of files, of a session that opens when a test wants it. */
const openedLater = {
  'a session': (opened: Promise<FileSandbox>): SessionFiles => new SandboxFiles(async () => opened),
  'a conversation': (opened: Promise<FileSandbox>): SessionFiles =>
    new ConversationFiles(async () => {
      await opened;
      const files = new SandboxFiles(async () => opened);
      return { files, release: async () => {} } as Partial<Session> as Session;
    }),
};

const KINDS = Object.keys(openedLater) as (keyof typeof openedLater)[];

it.each(KINDS)('a source that fails before %s is open fails the upload', async (kind) => {
  const opened = createDeferred<FileSandbox>();
  const source = createReadStream('/missing/file');
  const writing = openedLater[kind](opened.promise).write('a', source);
  // A listener of the test would hide that nobody else listens.
  while (source.errored === null) await nextTurn();
  opened.resolve(filesOf(() => ({})).requests);
  await expect(writing).rejects.toMatchObject({ code: 'ENOENT' });
});

it.each(KINDS)('a source is closed if %s cannot be opened', async (kind) => {
  const opened = createDeferred<FileSandbox>();
  const source = createReadStream(import.meta.filename);
  const writing = openedLater[kind](opened.promise).write('a', source);
  opened.reject(new Error('no session'));
  await expect(writing).rejects.toThrow('no session');
  expect(source.destroyed).toBe(true);
});

it('a source that stalls is closed if its upload is aborted', async () => {
  const { files } = filesOf(() => ({}));
  const source = new Readable({ read: () => {} });
  const stop = new AbortController();
  const writing = files.write('a', source, { signal: stop.signal });
  await nextTurn();
  stop.abort();
  await expect(writing).rejects.toMatchObject({ code: 'ABORTED' });
  expect(source.destroyed).toBe(true);
});

/** A stream of the web that gives nothing. */
function webStream(): {
  readonly source: ReadableStream<string>;
  readonly cancelled: Promise<unknown>;
} {
  const cancelled = createDeferred<unknown>();
  const source = new ReadableStream<string>({ cancel: (reason) => cancelled.resolve(reason) });
  return { source, cancelled: cancelled.promise };
}

it.each(KINDS)('a web stream is cancelled if %s cannot be opened', async (kind) => {
  const opened = createDeferred<FileSandbox>();
  const { source, cancelled } = webStream();
  const writing = openedLater[kind](opened.promise).write('a', source);
  const error = new Error('no session');
  opened.reject(error);
  await expect(writing).rejects.toBe(error);
  expect(await cancelled).toBe(error);
});

it('a web stream that stalls is cancelled if its upload is aborted', async () => {
  const { files } = filesOf(() => ({}));
  const { source, cancelled } = webStream();
  const stop = new AbortController();
  const writing = files.write('a', source, { signal: stop.signal });
  await nextTurn();
  stop.abort();
  await expect(writing).rejects.toMatchObject({ code: 'ABORTED' });
  expect(await cancelled).toMatchObject({ code: 'ABORTED' });
});

it('a web stream that was written is not locked', async () => {
  const { files } = filesOf(() => ({}));
  const source = new Blob(['some text']).stream();
  await files.write('a', source);
  expect(source.locked).toBe(false);
});
