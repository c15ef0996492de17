import { escapeLine } from './control-characters.ts';

const MAX_LENGTH = 1000;

/**
 * Emits a warning of the process, which Node prints on standard error by default, often a terminal.
 * The message may quote a program, so it is escaped, put on one line and cut to a limit.
 * @param code - A stable name for handlers of warnings.
 * @default none
 */
export function warn(message: string, code?: string): void {
  const cut = message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}…` : message;
  process.emitWarning(escapeLine(cut), ...(code === undefined ? [] : [{ code }]));
}
