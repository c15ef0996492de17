import type { Session } from '../../sessions/executor.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { SerialQueue } from '../../shared/async/serial-queue.ts';
import { PtcError } from '../../shared/errors.ts';
import type { FileEntry, FileList, SessionFiles } from '../../tools/session-files.ts';
import { fits, shortened } from './cut-text.ts';

/** In `/tmp`. */
const DIRECTORY = 'full-output';
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Of all files together. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 100;
/**
 * How long it may take. Eight mebibytes take a second, and much longer on a busy machine. A hostile
 * sandbox may answer each request slowly.
 */
const DEADLINE_MS = 60_000;
/** The name of a file: its number, which is not so large that the next one has more digits. */
const NAME = /^([1-9]\d{0,8})\.txt$/;

/** Where a text was kept. */
export interface KeptText {
  readonly path: string;
  readonly sizeBytes: number;
  /** Whether the file has all of the text. */
  readonly isWhole: boolean;
}

/** Why a text was not kept: a clause. */
export interface NotKept {
  readonly problem: string;
}

export interface KeepOptions {
  /** How much the files of the sandbox may take in all. At most half of it is used. */
  readonly storageBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** By `Session.closing`, which each sandbox has its own: all users of a session keep one text at a time. */
const queues: WeakMap<Session['closing'], SerialQueue> = new WeakMap();

/**
 * Keeps a text in a file of a session. The oldest files make room for it. Never throws.
 */
export async function keepText(
  session: Pick<Session, 'files' | 'closing'>,
  text: string,
  { storageBytes, signal: caller }: KeepOptions,
): Promise<KeptText | NotKept> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  using either = new AnySignal(caller, deadline);
  const { signal } = either;
  const totalBytes = Math.min(MAX_TOTAL_BYTES, Math.floor(storageBytes / 2));
  const fileBytes = Math.min(MAX_FILE_BYTES, totalBytes);
  // Some room for the line that says how much was left out.
  const content = fits(text, fileBytes) ? text : shortened(text, fileBytes - 100);
  const sizeBytes = Buffer.byteLength(content);
  const write = async (): Promise<KeptText | NotKept> => {
    // An executor of the user's may have no files.
    const { files } = session;
    const { entries, truncated } = await listDirectory(files, signal);
    // Which numbers are taken is not known then.
    if (truncated) return { problem: `/tmp/${DIRECTORY} has too many files` };
    const plan = planFile(entries, sizeBytes, totalBytes);
    for (const path of plan.outdated) await removeFile(files, path, signal);
    await files.write(plan.path, content, { signal });
    return { path: `/tmp/${plan.path}`, sizeBytes, isWhole: content === text };
  };
  try {
    const queue = queues.get(session.closing) ?? new SerialQueue();
    queues.set(session.closing, queue);
    return await queue.add(
      async () =>
        write().catch(async (error: unknown) => {
          // The program has killed the process that does the work. The next request starts another one.
          if (errnoOf(error) === 'EPIPE') return write();
          throw error;
        }),
      signal,
    );
  } catch (error) {
    return { problem: deadline.aborted ? 'the sandbox did not answer in time' : problemOf(error) };
  }
}

/**
 * Decides which file a text gets, and which earlier ones are removed: the oldest, until the rest
 * and the new one are within the bounds. A program may have put anything there: nothing is written
 * in its place, and only files are removed.
 * @throws PtcError `FILE_FAILED` if no number is left.
 */
export function planFile(
  entries: readonly FileEntry[],
  sizeBytes: number,
  totalBytes: number,
): { readonly path: string; readonly outdated: readonly string[] } {
  const earlier = entries
    .filter(({ name }) => NAME.test(name))
    .map((entry) => ({ ...entry, number: Number.parseInt(entry.name, 10) }))
    .toSorted((a, b) => b.number - a.number);
  const next = `${1 + (earlier[0]?.number ?? 0)}.txt`;
  if (!NAME.test(next)) {
    const message = `The directory /tmp/${DIRECTORY} has a file with the largest number. Remove it.`;
    throw new PtcError('FILE_FAILED', message, { details: { errno: 'EEXIST' } });
  }
  let total = sizeBytes;
  const isOutdated = (file: FileEntry, index: number): boolean => {
    total += file.sizeBytes;
    return total > totalBytes || index >= MAX_FILES - 1;
  };
  const files = earlier.filter(({ type }) => type === 'file');
  const outdated = files.filter(isOutdated).map(({ name }) => `${DIRECTORY}/${name}`);
  return { path: `${DIRECTORY}/${next}`, outdated: outdated.toReversed() };
}

async function listDirectory(files: SessionFiles, signal: AbortSignal): Promise<FileList> {
  try {
    return await files.list(DIRECTORY, { signal });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { entries: [], truncated: false };
    throw error;
  }
}

async function removeFile(files: SessionFiles, path: string, signal: AbortSignal): Promise<void> {
  try {
    await files.remove(path, { signal });
  } catch (error) {
    // A program has removed it.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Why a text could not be kept, without the message, which a hostile sandbox may have written. */
export function problemOf(error: unknown): string {
  const code = errnoOf(error) ?? (PtcError.isInstance(error) ? error.code : '');
  // The embedded sandbox has none without Python.
  if (code === 'ENOSYS') return 'this sandbox has no files';
  return /^[A-Z_\d]{1,40}$/.test(code) ? `it could not be kept: ${code}` : 'it could not be kept';
}

function errnoOf(error: unknown): string | undefined {
  const errno = PtcError.isInstance(error) ? error.details['errno'] : undefined;
  return typeof errno === 'string' ? errno : undefined;
}
