import { afterEach, expect, it, vi } from 'vitest';
import { FileRequests } from '../../../src/execution/files/file-requests.ts';
import { SandboxFiles } from '../../../src/execution/files/sandbox-files.ts';
import type { FileAnswerMessage, FileRequestMessage } from '../../../src/protocol/file-messages.ts';
import { FILE_PIECE_BYTES } from '../../../src/protocol/frames.ts';
import type { HostMessage } from '../../../src/protocol/messages.ts';
import { PtcError } from '../../../src/shared/errors.ts';

afterEach(() => {
  vi.useRealTimers();
});

type Answer = Partial<Omit<FileAnswerMessage, 'kind' | 'request_id'>>;

/** The files of a runner that answers as a test wants; undefined for no answer. */
function filesOf(answer: (request: FileRequestMessage) => Answer | undefined): {
  readonly files: SandboxFiles;
  readonly requests: FileRequests;
  readonly sent: HostMessage[];
  readonly faults: Error[];
} {
  const sent: HostMessage[] = [];
  const faults: Error[] = [];
  const send = (message: HostMessage): void => {
    sent.push(message);
    if (message.kind !== 'file-request') return;
    const answered = answer(message);
    if (answered === undefined) return;
    const rest = { error: null, result: null, data: null, ...answered };
    queueMicrotask(() => {
      try {
        requests.answered({ kind: 'file-answer', request_id: message.request_id, ...rest });
      } catch (error) {
        faults.push(error as Error);
        requests.end(error as Error);
      }
    });
  };
  const requests = new FileRequests({ send }, (fault) => {
    faults.push(fault);
    requests.end(fault);
  });
  const files = new SandboxFiles(async (request, signal) => requests.send(request, signal));
  return { files, requests, sent, faults };
}

const entry = { name: 'a', type: 'file', size: 1, modified_ms: 5 };

it('one request is sent at a time, in the order of the calls', async () => {
  const { files, sent } = filesOf(({ operation }) =>
    operation === 'stat' ? { result: entry } : {},
  );
  await Promise.all([files.remove('a'), files.stat('b'), files.remove('c')]);
  const operations = sent.map((message) => 'operation' in message && message.operation);
  expect(operations).toEqual(['remove', 'stat', 'remove']);
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

function piece(bytes: number, isLast: boolean): Answer {
  return {
    result: { size: 0, is_last: isLast },
    data: Buffer.alloc(bytes).toString('base64'),
  };
}

function idOf(message: HostMessage | undefined): string {
  return message !== undefined && 'request_id' in message ? message.request_id : '';
}

function answerTo(id: string): FileAnswerMessage {
  return { kind: 'file-answer', request_id: id, error: null, result: null, data: null };
}
