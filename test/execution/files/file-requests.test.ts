import { afterEach, expect, it, vi } from 'vitest';
import { MOST_PIECES } from '../../../src/execution/files/file-requests.ts';
import type { FileRequestMessage } from '../../../src/protocol/file-messages.ts';
import { FILE_PIECE_BYTES } from '../../../src/protocol/frames.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import type { SessionFiles } from '../../../src/tools/session-files.ts';
import {
  answerTo,
  entry,
  filesOf,
  idOf,
  LARGE,
  piece,
  pieceOfLarge,
  type Answer,
} from './fake-files.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('one request is sent at a time, in the order of the calls', async () => {
  const { files, sent } = filesOf(({ operation }) =>
    operation === 'stat' ? { result: entry } : {},
  );
  await Promise.all([files.remove('a'), files.stat('b'), files.remove('c')]);
  const operations = sent.map((message) => 'operation' in message && message.operation);
  expect(operations).toEqual(['remove', 'stat', 'remove']);
});

it('a few pieces of files are under way at a time, and nothing else with them', async () => {
  const waiting: FileRequestMessage[] = [];
  const { files, requests } = filesOf((message) => void waiting.push(message));
  const answerOldest = async (): Promise<void> => {
    const message = waiting.shift();
    if (message?.operation !== 'read') requests.answered(answerTo(idOf(message)));
    else requests.answered({ ...answerTo(idOf(message)), ...pieceOfLarge(message) });
    // Everything that the answer makes the host do.
    await new Promise((resolve) => setImmediate(resolve));
  };
  const underWay = (): string[] =>
    waiting.map((message) => `${message.operation} ${'path' in message ? message.path : ''}`);
  const all = [files.write('a', new Uint8Array(LARGE)), files.read('b'), files.remove('c')];
  await new Promise((resolve) => setImmediate(resolve));
  const seen = [underWay()];
  for (let answers = 0; answers < 30 && waiting.length > 0; answers += 1) {
    await answerOldest();
    seen.push(underWay());
  }
  await Promise.all(all);
  expect(await all[1]).toHaveLength(LARGE);
  expect(Math.max(...seen.map((few) => few.length))).toBe(MOST_PIECES);
  expect(seen.filter((few) => few.includes('remove c'))).toEqual([['remove c']]);
});

it('a piece that fails ends its transfer, and those behind it are not missed', async () => {
  let count = 0;
  const { files, sent } = filesOf(({ operation }) => {
    if (operation === 'release') return {};
    count += 1;
    if (count === 1) return {};
    const errno = count === 2 ? 'ENOSPC' : 'ESTALE';
    return { error: { errno, message: 'why' } };
  });
  await expect(files.write('a', new Uint8Array(10 * LARGE))).rejects.toMatchObject({
    details: { errno: 'ENOSPC' },
  });
  expect(count).toBeLessThan(8);
  expect(sent.at(-1)).toMatchObject({ operation: 'release' });
});

it.each<[string, Answer]>([
  ['no result', {}],
  ['an entry without a type', { result: { ...entry, type: 'door' } }],
  ['a negative size', { result: { ...entry, size: -1 } }],
  ['a list', { result: [entry] }],
])(
  'an answer with %s ends the runner [host/frame-fields, host/file-answers]',
  async (_, answer) => {
    const { files, faults } = filesOf(() => answer);
    await expect(files.stat('a')).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    expect(faults).toHaveLength(1);
  },
);

it.each<[string, Answer]>([
  ['more bytes than were asked for', piece(FILE_PIECE_BYTES + 3, true)],
  ['fewer, without being the last', piece(3, false)],
  ['no data', { result: { size: 1, is_last: true } }],
])('a piece with %s ends the runner', async (_, answer) => {
  const { files } = filesOf(() => answer);
  await expect(files.read('a')).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
});

it('a file without an end is read up to maxBytes [every/files-bounded]', async () => {
  const { files, sent } = filesOf(({ operation }) =>
    operation === 'read' ? piece(FILE_PIECE_BYTES, false) : {},
  );
  const read = files.read('a', { maxBytes: 1_000_000 });
  await expect(read).rejects.toMatchObject({ code: 'FILE_FAILED', details: { errno: 'EFBIG' } });
  expect(sent.filter((message) => 'operation' in message)).toHaveLength(5);
  expect(sent.at(-1)).toMatchObject({ operation: 'release' });
});

it('the message of a runner is cut and cannot control a terminal', async () => {
  const { files } = filesOf(() => ({
    error: { errno: 'ENOENT', message: `\u001b[2J${'x'.repeat(10_000)}` },
  }));
  const error: unknown = await files.stat('a').catch((thrown: unknown) => thrown);
  expect(PtcError.isInstance(error) && error.message.length).toBeLessThan(500);
  expect(String(error)).not.toContain('\u001b');
});

it('a request without an answer fails after its time limit, and the next one is sent', async () => {
  vi.useFakeTimers();
  let isSilent = true;
  const { files, requests, sent } = filesOf(() => (isSilent ? undefined : { result: entry }));
  const waiting = files.stat('a').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await waiting).toMatchObject({
    code: 'FILE_FAILED',
    details: { errno: 'ETIMEDOUT', operation: 'stat', path: 'a' },
  });
  const [request, cancel] = sent;
  expect(cancel).toEqual({ kind: 'file-cancel', request_id: idOf(request) });
  isSilent = false;
  await expect(files.stat('a')).resolves.toMatchObject({ name: 'a' });
  // The late answer belongs to nothing, and is allowed once.
  expect(requests.answered(answerTo(idOf(request)))).toBe(true);
  expect(requests.answered(answerTo(idOf(request)))).toBe(false);
});

it('a signal ends the wait, also for the requests before it', async () => {
  const { files, sent } = filesOf(() => undefined);
  const [first, second] = [new AbortController(), new AbortController()];
  const one = files.stat('a', { signal: first.signal });
  const other = files.stat('b', { signal: second.signal });
  second.abort();
  await expect(other).rejects.toMatchObject({ code: 'ABORTED' });
  first.abort();
  await expect(one).rejects.toMatchObject({ code: 'ABORTED' });
  expect(sent.map(({ kind }) => kind)).toEqual(['file-request']);
});

it('a request that was aborted is cancelled only if its answer does not come soon', async () => {
  vi.useFakeTimers();
  const { files, requests, sent } = filesOf(({ operation }) =>
    operation === 'stat' ? undefined : {},
  );
  for (const isAnswered of [true, false]) {
    sent.length = 0;
    const stop = new AbortController();
    const waiting = files.stat('a', { signal: stop.signal }).catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    stop.abort();
    await waiting;
    if (isAnswered) requests.answered({ ...answerTo(idOf(sent[0])), result: entry });
    await vi.advanceTimersByTimeAsync(1000);
    await files.remove('b');
    const kinds = sent.map((message) => message.kind);
    const cancels = isAnswered ? [] : ['file-cancel'];
    expect(kinds).toEqual(['file-request', ...cancels, 'file-request']);
  }
});

it('a runner that leaves a hundred requests without an answer is ended [waiting/file-requests]', async () => {
  vi.useFakeTimers();
  const { files, faults } = filesOf(() => undefined);
  for (let count = 0; count < 101; count += 1) {
    const request = files.stat('a').catch(() => {});
    await vi.advanceTimersByTimeAsync(30_000);
    await request;
    expect(faults).toHaveLength(count < 100 ? 0 : 1);
  }
  await expect(files.stat('a')).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
});

it('an answer that nobody asked for belongs to nothing', () => {
  const { requests } = filesOf(() => undefined);
  expect(requests.answered(answerTo('1'))).toBe(false);
});

it('a source that fails gives up what it has written', async () => {
  const { files, sent } = filesOf(() => ({}));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(600_000);
    throw new Error('broke off');
  }
  await expect(files.write('a', broken())).rejects.toThrow('broke off');
  expect(sent.map((message) => 'operation' in message && message.operation)).toEqual([
    ...['write', 'write', 'release'],
  ]);
});

/** Gives some bytes, and then nothing more. */
async function* stalled(bytes: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(bytes);
  await new Promise(() => {});
}

it.each([10, 600_000])(
  'a source that stalls after %i bytes ends with the signal',
  async (bytes) => {
    const { files, sent } = filesOf(() => ({}));
    const stop = new AbortController();
    const writing = files.write('a', stalled(bytes), { signal: stop.signal });
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    await expect(writing).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } });
    await files.remove('b');
    const [release, remove] = sent.slice(-2);
    expect([release, remove]).toMatchObject([{ operation: 'release' }, { operation: 'remove' }]);
  },
);

it.each([10, 600_000])(
  'a source that stalls after %i bytes ends with the sandbox',
  async (bytes) => {
    const { files, requests } = filesOf(() => ({}));
    const writing = files.write('a', stalled(bytes));
    await new Promise((resolve) => setImmediate(resolve));
    requests.end(undefined);
    await expect(writing).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
  },
);

it('a transfer whose first piece is aborted is given up in the sandbox too', async () => {
  const waiting: FileRequestMessage[] = [];
  const { files, requests, sent } = filesOf((message) => void waiting.push(message));
  for (const begin of [
    async (signal: AbortSignal) => files.write('a', 'text', { signal }),
    async (signal: AbortSignal) => files.read('a', { signal }),
  ]) {
    const stop = new AbortController();
    const work = begin(stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: 'ABORTED' });
    const first = waiting.shift();
    if (first?.operation === 'read')
      requests.answered({ ...answerTo(idOf(first)), ...pieceOfLarge(first) });
    else requests.answered(answerTo(idOf(first)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.at(-1)).toMatchObject({ operation: 'release' });
    requests.answered(answerTo(idOf(waiting.shift())));
    await new Promise((resolve) => setImmediate(resolve));
  }
});

it.each([
  ['append', async (files, signal) => files.append('a', 'x', { signal })],
  ['edit', async (files, signal) => files.edit('a', { find: 'x', replace: 'y', signal })],
  ['remove', async (files, signal) => files.remove('a', { signal })],
  ['write', async (files, signal) => files.write('a', 'x', { signal })],
] satisfies [string, (files: SessionFiles, signal: AbortSignal) => Promise<unknown>][])(
  'the error of an aborted %s says whether it may have been done',
  async (operation, change) => {
    const { files, sent } = filesOf(() => undefined);
    const stop = new AbortController();
    const { signal } = stop;
    const first = change(files, signal);
    await new Promise((resolve) => setImmediate(resolve));
    const both = Promise.allSettled([first, files.remove('b', { signal })]);
    stop.abort();
    const [asked, waits] = await both;
    const mayBeDone =
      /^The work on files was aborted\. The sandbox may do it nevertheless: look at/;
    expect(asked).toMatchObject({ reason: { message: expect.stringMatching(mayBeDone) } });
    expect(waits).toMatchObject({ reason: { message: 'The work on files was aborted.' } });
    expect(sent).toMatchObject([{ operation }]);
  },
);

it('the error of what was aborted and changes nothing does not say that it may have been done', async () => {
  const { files } = filesOf(() => undefined);
  const stop = new AbortController();
  const reading = files.readText('a', { signal: stop.signal });
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await expect(reading).rejects.toMatchObject({ message: 'The work on files was aborted.' });
});
