import { escapeControls, escapeLine } from '../shared/control-characters.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import { colorsFor } from './terminal/terminal.ts';

/** The command line is invalid. The message says what to change. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit status for an invalid command line. */
export const MISUSE = 2;

/** Prints on standard error what ended the command, and returns its exit status. */
export function reportFailure(error: unknown): number {
  const colors = colorsFor(process.stderr);
  const isPtcError = PtcError.isInstance(error);
  const label = isPtcError ? error.code : 'error';
  process.stderr.write(
    `${colors.red(`${escapeLine(label)}:`)} ${escapeControls(messageOf(error))}\n`,
  );
  if (process.env['DEBUG']?.includes('sandboxed-ptc') === true && error instanceof Error) {
    process.stderr.write(`${colors.dim(escapeControls(stackOf(error)))}\n`);
  }
  const isMisuse = error instanceof UsageError || (isPtcError && error.code === 'OPTION_INVALID');
  return isMisuse ? MISUSE : 1;
}

function stackOf(error: Error): string {
  const stack = error.stack ?? '';
  return error.cause instanceof Error ? `${stack}\nCaused by: ${stackOf(error.cause)}` : stack;
}

/** Whether the error only says that the user or the system stopped the work. */
export function isAborted(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'ABORTED';
}
