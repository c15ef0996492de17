import { Buffer } from 'node:buffer';
import type { OutcomeMessage } from '../../protocol/messages.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { mediaTypeOf } from '../../shared/files/media-type.ts';
import { chooseOutputs, LeftOut } from './choose-outputs.ts';
import type { FileRequests } from './file-requests.ts';
import { readList } from './read-answers.ts';
import { SandboxFiles } from './sandbox-files.ts';

/** A file that a program left in `$OUTPUT_DIR`. The program chose its name and its bytes. */
export interface OutputFile {
  /**
   * Its path relative to `$OUTPUT_DIR`, such as `report.csv` or `charts/north.png`: names with `/`
   * between them, none of which is `..`, without control characters and backslashes. At most 200
   * characters.
   */
  readonly name: string;
  /** The media type for the end of its name, else `application/octet-stream`. */
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** The bytes in base64. All files of a program have at most 10 MiB together. */
  readonly data: string;
}

/** What comes of what a program left in `$OUTPUT_DIR`. */
export interface Outputs {
  readonly files: readonly OutputFile[];
  /** Why other files are not among them, in sentences. */
  readonly fileProblems: readonly string[];
}

/**
 * How long it may take to read all files of a program. 10 MiB take less than a second. A program that
 * stops the process for files makes its own result late by this time.
 */
const TIMEOUT_MS = 10_000;
const TOO_LONG = `it took more than ${TIMEOUT_MS / 1000} s to read them`;

/**
 * Reads the files that a program left, and removes them from the sandbox if all could be read. Never
 * throws. If a program left nothing, the sandbox is asked nothing.
 * @param signal - Ends the wait. If it has fired, because the program was stopped, nothing is read.
 */
export async function takeOutputs(
  requests: FileRequests,
  outcome: OutcomeMessage | undefined,
  signal: AbortSignal | undefined,
): Promise<Outputs> {
  // With the interpreter, the sandbox has ended.
  const directory = outcome?.interpreter_end === null ? outcome.outputs : null;
  if (directory === null) return { files: [], fileProblems: [] };
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  using end = new AnySignal(signal, limit);
  const isLate = (error: unknown): boolean =>
    isAborted(error) && limit.aborted && end.signal.reason === limit.reason;
  try {
    return await readOutputs(requests, directory, end.signal, isLate);
  } catch (error) {
    const why = isLate(error) ? `${TOO_LONG}.` : messageOf(error);
    const problem = `The files in $OUTPUT_DIR could not be returned: ${why}`;
    // After another error, they are gone, or the program has put something else in their place.
    const rest = isAborted(error) ? [stillIn(directory)] : [];
    return { files: [], fileProblems: [problem, ...rest] };
  }
}

async function readOutputs(
  requests: FileRequests,
  directory: string,
  signal: AbortSignal,
  isLate: (error: unknown) => boolean,
): Promise<Outputs> {
  const operation = { operation: 'tree', path: directory } as const;
  const list = await requests.send({ operation, read: readList }, signal);
  const sandbox = new SandboxFiles(async () => requests);
  const leftOut = new LeftOut();
  const files: OutputFile[] = [];
  for (const { name, sizeBytes: maxBytes } of chooseOutputs(list, leftOut)) {
    try {
      const bytes = await sandbox.read(`${directory}/${name}`, { signal, maxBytes });
      files.push(outputFile(name, bytes));
    } catch (error) {
      leftOut.add(name, isLate(error) ? TOO_LONG : `it could not be read (${reasonOf(error)})`);
    }
  }
  if (leftOut.isEmpty) {
    // If it fails, nothing is missing. The sandbox has less room.
    await sandbox.remove(directory, { signal, recursive: true }).catch(() => {});
    return { files, fileProblems: [] };
  }
  return { files, fileProblems: [...leftOut.sentences(), stillIn(directory)] };
}

function stillIn(directory: string): string {
  return `What was not returned is still in ${JSON.stringify(directory)} of the sandbox.`;
}

function outputFile(name: string, bytes: Uint8Array): OutputFile {
  const { buffer, byteOffset, byteLength } = bytes;
  const data = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  return { name, mediaType: mediaTypeOf(name), sizeBytes: byteLength, data };
}

function isAborted(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'ABORTED';
}

/** The name of a system error, else the code of an error of the host. */
function reasonOf(error: unknown): string {
  if (!PtcError.isInstance(error)) return 'failed';
  const { errno } = error.details;
  return typeof errno === 'string' ? errno : error.code;
}
