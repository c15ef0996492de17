import { escapeLine } from './control-characters.ts';

const MAX_LENGTH = 1000;

/**
 * Warns as Node itself does, by default on standard error, which is often a terminal. What a message quotes may come
 * from a program: it is one line of bounded length and controls nothing.
 * @param code - A stable name for handlers of warnings. @default none
 */
export function warn(message: string, code?: string): void {
  const cut = message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}…` : message;
  process.emitWarning(escapeLine(cut), ...(code === undefined ? [] : [{ code }]));
}
