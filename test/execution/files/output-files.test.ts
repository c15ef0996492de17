import { describe, expect, it, vi } from 'vitest';
import type { AuditEntry, AuditSink } from '../../../src/audit/entry.ts';
import { recordOf } from '../../../src/audit/record.ts';
import type { ExecutionResult } from '../../../src/execution/execution.ts';
import type { FileAnswerMessage, FileRequestMessage } from '../../../src/protocol/file-messages.ts';
import { FILE_PIECE_BYTES } from '../../../src/protocol/frames.ts';
import { outcome } from '../../support/fake-runner.ts';
import { connect, request } from '../fake-connection.ts';

const DIRECTORY = '/tmp/outputs-0f1e2d3c';
const MiB = 1024 * 1024;

type Answer = Partial<Omit<FileAnswerMessage, 'kind' | 'request_id'>>;

/** What comes of a program whose runner answers the requests about its files in this way. */
async function leaving(
  answer: (request: FileRequestMessage) => Answer | undefined,
  {
    signal,
    changes = {},
    audit,
  }: { signal?: AbortSignal; changes?: object; audit?: AuditSink } = {},
): Promise<{ result: ExecutionResult; requests: readonly FileRequestMessage[] }> {
  const { runner, connection } = connect();
  const requests: FileRequestMessage[] = [];
  runner.onMessage = (message) => {
    if (message.kind !== 'file-request') return;
    requests.push(message);
    const answered = answer(message);
    if (answered === undefined) return;
    const rest = { error: null, result: null, data: null, ...answered };
    queueMicrotask(() => {
      runner.say({ kind: 'file-answer', request_id: message.request_id, ...rest });
    });
  };
  const running = connection.execute(request({ signal, ...(audit && { audit }) }));
  runner.say(outcome({ outputs: DIRECTORY, ...changes }));
  return { result: await running, requests };
}

function tree(
  ...entries: readonly (readonly [name: string, size?: number, type?: string])[]
): Answer {
  const all = entries.map(([name, size = 1, type = 'file']) => ({
    name,
    type,
    size,
    modified_ms: 0,
  }));
  return { result: { entries: all, is_truncated: false } };
}

/** Answers with a list, and with files of one byte. */
function listing(list: Answer): (request: FileRequestMessage) => Answer {
  return ({ operation }) => {
    if (operation === 'tree') return list;
    return operation === 'read'
      ? { result: { size: 1, is_last: true }, data: Buffer.from('x') }
      : {};
  };
}

describe('what a program leaves', () => {
  it('is named in the audit log, without its contents', async () => {
    const entries: AuditEntry[] = [];
    const audit = {
      record: (entry: AuditEntry) => void entries.push(entry),
      ready: () => undefined,
    };
    await leaving(listing(tree(['a.md'], ['b.md'])), { audit });
    expect(entries.at(-1)).toMatchObject({
      type: 'program-ended',
      fileNames: ['a.md', 'b.md'],
      fileBytes: 2,
    });
    const names = ['n'.repeat(2000)];
    const record = recordOf(
      { ...(entries.at(-1) as AuditEntry & { type: 'program-ended' }), fileNames: names },
      new Date(),
      { includeText: false },
    );
    expect(record['fileNames']).toEqual([expect.stringMatching(/^n{1024}… \(2000 characters\)$/)]);
  });

  it('is listed, read and removed in three requests', async () => {
    const { result, requests } = await leaving(listing(tree(['a.md'])));
    expect(result).toMatchObject({ status: 'ok', sessionOpen: true, fileProblems: [] });
    expect(result.files).toEqual([
      { name: 'a.md', mediaType: 'text/markdown', sizeBytes: 1, data: btoa('x') },
    ]);
    expect(requests).toMatchObject([
      { operation: 'tree', path: DIRECTORY },
      { operation: 'read', path: `${DIRECTORY}/a.md` },
      { operation: 'remove', path: DIRECTORY, recursive: true },
    ]);
  });

  it('is not asked for if there is nothing, or if the interpreter has ended', async () => {
    const ended = { interpreter_end: { reason: 'exit', status: 0 } };
    for (const changes of [{ outputs: null }, ended]) {
      const { result, requests } = await leaving(listing(tree(['a'])), { changes });
      expect({ files: result.files, requests }).toEqual({ files: [], requests: [] });
    }
  });

  it('has no name that leads elsewhere or comes twice [host/output-files]', async () => {
    const names = ['../a', '/etc/passwd', 'a/../../b', 'a//b', './c', '', '.', 'a\0b', 'C:\\x'];
    const { result } = await leaving(
      listing(tree(...names.map((name) => [name] as const), ['right'], ['right'])),
    );
    expect(result.files.map(({ name }) => name)).toEqual(['right']);
    expect(result.fileProblems).toHaveLength(3);
    expect(result.fileProblems[0]).toMatch(/^Of \$OUTPUT_DIR, 9 entries could not be returned/);
    expect(result.fileProblems[1]).toMatch(/because the sandbox named it twice: "right"/);
  });

  it('is not read if it is not a regular file, such as a fifo or a device', async () => {
    const { result, requests } = await leaving(
      listing(tree(['fifo', 0, 'other'], ['environ', 1, 'link'], ['a', 1, 'directory'], ['b'])),
    );
    expect(result.files.map(({ name }) => name)).toEqual(['b']);
    expect(result.fileProblems[0]).toMatch(
      /3 entries .* only regular files are returned: "fifo", "environ", "a"\.$/,
    );
    const read = requests.filter(({ operation }) => operation === 'read');
    expect(read).toMatchObject([{ path: `${DIRECTORY}/b` }]);
  });

  it('is bounded, also if the runner lies about sizes [waiting/outputs]', async () => {
    const data = Buffer.alloc(FILE_PIECE_BYTES);
    const names = Array.from({ length: 1000 }, (_, number) => [`${number}`] as const);
    const { result } = await leaving(({ operation }) => {
      if (operation === 'tree') return tree(...names);
      return operation === 'read' ? { result: { size: 1, is_last: false }, data } : {};
    });
    expect(result.files).toEqual([]);
    expect(result.fileProblems.join('\n').length).toBeLessThan(2000);
    expect(result.fileProblems[0]).toMatch(/980 entries .* a program can return 20 files/);
    expect(result.fileProblems[1]).toMatch(/20 entries .* it could not be read \(EFBIG\)/);
  });

  it('has at most 10 MiB together', async () => {
    const { result } = await leaving(
      listing(tree(['a', 10 * MiB - 1], ['b', 2], ['c', 1], ['d', 2 ** 50])),
    );
    expect(result.files.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(result.fileProblems[0]).toMatch(/2 entries .* 10 MiB together: "b", "d"\.$/);
    expect(result.fileProblems[1]).toBe(
      `What was not returned is still in "${DIRECTORY}" of the sandbox.`,
    );
  });

  it('ends the session if an answer about it does not fit, and the result stays', async () => {
    const { result } = await leaving(() => ({ result: { entries: 'all', is_truncated: false } }));
    expect(result).toMatchObject({ status: 'ok', sessionOpen: false, files: [] });
    expect(result.fileProblems).toEqual([
      expect.stringMatching(/could not be returned: The sandbox broke the protocol/),
    ]);
  });

  it('is not waited for if the caller aborts', async () => {
    const stop = new AbortController();
    const { result } = await leaving(
      () => {
        stop.abort();
        return undefined;
      },
      { signal: stop.signal },
    );
    expect(result).toMatchObject({ status: 'ok', files: [] });
    expect(result.fileProblems).toEqual([
      expect.stringMatching(/could not be returned: .*aborted/),
      `What was not returned is still in "${DIRECTORY}" of the sandbox.`,
    ]);
  });

  it.each([
    [
      'tree',
      'The files in $OUTPUT_DIR could not be returned: it took more than 10 s to read them.',
    ],
    ['read', 'Of $OUTPUT_DIR, 1 entry could not be returned, because it took more than 10 s'],
  ])(
    'is said to take too long if the sandbox does not answer a %s in time',
    async (late, problem) => {
      const limit = new AbortController();
      const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
      const { result } = await leaving((message) => {
        if (message.operation !== late) return listing(tree(['a']))(message);
        limit.abort(new DOMException('The operation was aborted.', 'TimeoutError'));
        return undefined;
      });
      timeout.mockRestore();
      expect(result.fileProblems).toEqual([
        expect.stringContaining(problem),
        `What was not returned is still in "${DIRECTORY}" of the sandbox.`,
      ]);
    },
  );

  it('stays in the sandbox, and its directory is named, if the caller stopped the program', async () => {
    const { result, requests } = await leaving(() => undefined, { signal: AbortSignal.abort() });
    expect(requests).toEqual([]);
    expect(result.fileProblems).toEqual([
      expect.stringMatching(/could not be returned: .*aborted/),
      `What was not returned is still in "${DIRECTORY}" of the sandbox.`,
    ]);
  });
});
