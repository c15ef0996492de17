import { randomUUID } from 'node:crypto';
import { FILE_PIECE_BYTES } from '../../protocol/frames.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { inBackground } from '../../shared/async/background.ts';
import { checkOptionNames } from '../../shared/options/option-names.ts';
import type { FileOperation } from '../../protocol/file-messages.ts';
import type {
  FileContent,
  FileEdit,
  FileEntry,
  FileList,
  FileOptions,
  FoundLines,
  FoundPaths,
  FileGlobOptions,
  FileGrepOptions,
  FileReadOptions,
  FileReadTextOptions,
  FileRemoveOptions,
  SessionFiles,
} from '../../tools/session-files.ts';
import { bytesOf, piecesOf, piecesOfBytes } from './content-pieces.ts';
import { explainAborted, fileError } from './file-failure.ts';
import * as checks from './file-options.ts';
import { type FileSandbox, MOST_PIECES } from './file-requests.ts';
import { linesOf } from './line-range.ts';
import { givenPieces } from './given-pieces.ts';
import * as answers from './read-answers.ts';
import { withContent } from './with-content.ts';

const MAX_READ_BYTES = 16 * 1024 * 1024;
const MAX_STREAM_BYTES = 1024 * 1024 * 1024;
/** The directory to which paths are relative. */
const ROOT = '.';

/** The files of a session, by requests to its sandbox. */
export class SandboxFiles implements SessionFiles {
  readonly #open: () => Promise<FileSandbox>;

  /**
   * @param open - Called once for each call of a method, whose requests all go to the same sandbox:
   * the parts of a file must not come to different ones.
   */
  constructor(open: () => Promise<FileSandbox>) {
    this.#open = open;
  }

  async list(path: string = ROOT, options: FileOptions = {}): Promise<FileList> {
    checkOptionNames(options, checks.FILE_OPTIONS);
    return this.#one({ operation: 'list', path }, answers.readList, options);
  }

  async stat(path: string, options: FileOptions = {}): Promise<FileEntry> {
    checkOptionNames(options, checks.FILE_OPTIONS);
    return this.#one({ operation: 'stat', path }, answers.readEntry, options);
  }

  async read(path: string, options: FileReadOptions = {}): Promise<Uint8Array> {
    checks.checkReadOptions(options);
    const pieces = this.#pieces(path, { maxBytes: MAX_READ_BYTES, ...given(options) });
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    return Buffer.concat(all);
  }

  async readText(path: string, options: FileReadTextOptions = {}): Promise<string> {
    checks.checkReadTextOptions(options);
    const { fromLine = 1, toLine = Infinity, maxBytes = MAX_READ_BYTES, signal } = options;
    // Of a file that need not be read to its end, one byte more tells whether the lines end before.
    const most = toLine === Infinity ? { maxBytes } : { lengthBytes: maxBytes + 1 };
    const pieces = this.#pieces(path, { maxBytes: Infinity, ...most, signal });
    const { bytes, end } = await linesOf(pieces, fromLine, toLine);
    if (end > maxBytes)
      throw fileError({ operation: 'read', path }, tooManyLines(toLine, maxBytes));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  stream(path: string, options: FileReadOptions = {}): AsyncGenerator<Uint8Array, void> {
    checks.checkText('path', path);
    checks.checkReadOptions(options);
    return this.#pieces(path, { maxBytes: MAX_STREAM_BYTES, ...given(options) });
  }

  async write(path: string, content: FileContent, options: FileOptions = {}): Promise<void> {
    await withContent(content, async (readable) => this.#write(path, readable, options));
  }

  async #write(path: string, content: FileContent, options: FileOptions): Promise<void> {
    checkOptionNames(options, checks.FILE_OPTIONS);
    const { signal } = options;
    const pieces = piecesOf(content);
    const sandbox = await this.#open();
    const transfer = randomUUID();
    const sent: Promise<void>[] = [];
    let [isFirst, isComplete] = [true, false];
    try {
      for await (const { bytes: data, isLast } of givenPieces(pieces, sandbox, signal)) {
        if (sent.length === MOST_PIECES) await sent.shift();
        const place = { transfer, is_first: isFirst, is_last: isLast };
        const operation = { operation: 'write', path, ...place, data } as const;
        sent.push(handled(request(sandbox, operation, answers.readNothing, options)));
        // It finds out whether the file can be written at all.
        if (isFirst) await sent.shift();
        isFirst = false;
      }
      await Promise.all(sent);
      isComplete = true;
    } finally {
      // The first request of an aborted transfer may have arrived too.
      if (isFirst ? signal?.aborted : !isComplete) await release(sandbox, transfer, signal);
    }
  }

  async append(
    path: string,
    content: string | Uint8Array,
    options: FileOptions = {},
  ): Promise<void> {
    checkOptionNames(options, checks.FILE_OPTIONS);
    const sandbox = await this.#open();
    const pieces = piecesOfBytes(bytesOf(content));
    const append = async (): Promise<void> => {
      for (const { bytes: data } of pieces) {
        await request(sandbox, { operation: 'append', path, data }, answers.readNothing, options);
      }
    };
    const { signal } = options;
    try {
      await sandbox.appends.add(append, signal);
    } catch (error) {
      throw explainAborted(error, signal);
    }
  }

  async edit(path: string, edit: FileEdit): Promise<number> {
    checks.checkEdit(edit);
    const { find, replace, all = false } = edit;
    return this.#one(
      { operation: 'edit', path, find, replace, all },
      answers.readReplacements,
      edit,
    );
  }

  async remove(path: string, options: FileRemoveOptions = {}): Promise<void> {
    checkOptionNames(options, checks.REMOVE_OPTIONS);
    const { recursive = false } = options;
    await this.#one({ operation: 'remove', path, recursive }, answers.readNothing, options);
  }

  async glob(pattern: string, options: FileGlobOptions = {}): Promise<FoundPaths> {
    checkOptionNames(options, checks.GLOB_OPTIONS);
    checks.checkText('pattern', pattern);
    const { path = ROOT } = options;
    return this.#one({ operation: 'glob', path, pattern }, answers.readPaths, options);
  }

  async grep(expression: string, options: FileGrepOptions = {}): Promise<FoundLines> {
    checks.checkGrepOptions(options);
    checks.checkText('expression', expression);
    const { path = ROOT, pattern = '**', ignoreCase = false, limit = 100 } = options;
    checks.checkText('pattern', pattern);
    return this.#one(
      { operation: 'grep', path, pattern, expression, ignore_case: ignoreCase, limit },
      answers.readLines,
      options,
    );
  }

  /**
   * Reads a file piece by piece. It stays open in the sandbox, so all pieces are of one content. The
   * first answer says how much there is; then the next pieces are asked for while one is read.
   */
  async *#pieces(
    path: string,
    options: FileReadOptions & { readonly maxBytes: number },
  ): AsyncGenerator<Uint8Array, void> {
    const { offsetBytes = 0, lengthBytes = Infinity, maxBytes, signal } = options;
    const sandbox = await this.#open();
    const transfer = randomUUID();
    const asked: Promise<answers.FilePiece>[] = [];
    let [next, read, end, isLast, isOpen] = [0, 0, 0, false, false];
    const operationAt = (place: number): FileOperation & { readonly length: number } => {
      const length = Math.min(FILE_PIECE_BYTES, lengthBytes - place);
      const part = { is_first: place === 0, offset: offsetBytes + place, length };
      return { operation: 'read', path, transfer, ...part };
    };
    try {
      // Also for no bytes, which finds out whether there is a file.
      do {
        while (asked.length === 0 || (next < end && asked.length < MOST_PIECES)) {
          const operation = operationAt(next);
          const { length } = operation;
          next += length;
          asked.push(
            handled(
              request(sandbox, operation, (answer) => answers.readPiece(answer, length), {
                signal,
              }),
            ),
          );
        }
        const piece = await asked.shift();
        if (piece === undefined) break;
        ({ isLast } = piece);
        isOpen = !isLast;
        read += piece.bytes.length;
        end = Math.min(lengthBytes, piece.sizeBytes - offsetBytes);
        const size = Math.max(read, end);
        if (size > maxBytes) throw fileError(operationAt(read), tooLarge(size, maxBytes));
        yield piece.bytes;
      } while (!isLast && read < lengthBytes);
    } finally {
      // The first request of an aborted transfer may have arrived too. Nobody sees that a file is open.
      if (isOpen || (read === 0 && signal?.aborted)) inBackground(release(sandbox, transfer));
    }
  }

  async #one<Result>(
    operation: FileOperation,
    read: (answer: Parameters<typeof answers.readList>[0]) => Result,
    options: FileOptions,
  ): Promise<Result> {
    return request(await this.#open(), operation, read, options);
  }
}

async function request<Result>(
  sandbox: FileSandbox,
  operation: FileOperation,
  read: (answer: Parameters<typeof answers.readList>[0]) => Result,
  { signal }: FileOptions,
): Promise<Result> {
  if ('path' in operation) checks.checkText('path', operation.path);
  return sandbox.send({ operation, read }, signal);
}

/**
 * The signal of the transfer ends only the wait, because it may have ended the transfer. If the request
 * fails, the sandbox is gone.
 */
async function release(
  sandbox: FileSandbox,
  transfer: string,
  signal?: AbortSignal,
): Promise<void> {
  const operation: FileOperation = { operation: 'release', transfer };
  const released = request(sandbox, operation, answers.readNothing, {}).catch(() => {});
  await untilAborted(released, signal);
}

function tooLarge(size: number, maxBytes: number): { errno: string; message: string } {
  const message = `there are ${size} bytes to read, and maxBytes is ${maxBytes}; read a part of the file, or stream it`;
  return { errno: 'EFBIG', message };
}

function tooManyLines(toLine: number, maxBytes: number): { errno: string; message: string } {
  const message = `line ${toLine} does not end within ${maxBytes} bytes, which is maxBytes; raise it, or stream the file`;
  return { errno: 'EFBIG', message };
}

/** Without the options that have no value, which would replace a default. */
function given(options: FileReadOptions): FileReadOptions & { maxBytes?: number } {
  const { maxBytes, ...others } = options;
  return maxBytes === undefined ? others : { ...others, maxBytes };
}

/** If it fails, whoever awaits it later is told. Nobody may, because an earlier piece failed. */
function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
