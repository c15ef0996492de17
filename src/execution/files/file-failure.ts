import type { FileFailure, FileOperation } from '../../protocol/file-messages.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import { PtcError } from '../../shared/errors.ts';
import { showValue } from '../../shared/show-value.ts';

/** A runner may be hostile, so of its message this is shown. */
const LONGEST_MESSAGE = 300;

const DONE: Readonly<Record<FileOperation['operation'], string>> = {
  stat: 'found',
  list: 'listed',
  tree: 'listed',
  read: 'read',
  write: 'written',
  release: 'released',
  append: 'written',
  edit: 'edited',
  remove: 'removed',
  glob: 'searched',
  grep: 'searched',
};

/** What can be done, by the name of the system error. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', ' Remove files, or raise limits.temporaryStorageBytes.'],
]);

/** An operation, as far as its error shows it. */
interface FailedOperation {
  readonly operation: FileOperation['operation'];
  readonly path?: string;
}

/** The error of an operation that could not be carried out. */
export function fileError(
  { operation, path }: FailedOperation,
  { errno, message }: FileFailure,
): PtcError {
  const why = escapeLine(message.slice(0, LONGEST_MESSAGE));
  const what = path === undefined ? 'A file' : `The path ${showValue(path)}`;
  return new PtcError(
    'FILE_FAILED',
    `${what} could not be ${DONE[operation]} in the sandbox: ${why} (${errno}).${REMEDIES.get(errno) ?? ''}`,
    { details: { operation, errno, ...(path !== undefined && { path }) } },
  );
}

/**
 * The error of work that the caller aborted.
 * @param mayBeDone - Whether the sandbox was asked to change something, and has not answered.
 */
export function filesAborted(
  { reason }: Pick<AbortSignal, 'reason'>,
  mayBeDone: boolean = false,
): PtcError {
  const advice = ' The sandbox may do it nevertheless: look at the file before you try again.';
  const message = `The work on files was aborted.${mayBeDone ? advice : ''}`;
  return new PtcError('ABORTED', message, { cause: reason });
}

/** The error of work some of whose waits end with only the reason of the caller's signal. */
export function explainAborted(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted === true && !PtcError.isInstance(error) ? filesAborted(signal) : error;
}
