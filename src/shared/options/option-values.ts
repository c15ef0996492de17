import { PtcError } from '../errors.ts';
import { showValue } from '../show-value.ts';
import { isOfKind, OPTION_KINDS } from './option-kinds.ts';

/** Node's timers count in 32 bits. With a longer delay, they fire at once. */
export const LONGEST_DELAY_MS: number = 2 ** 31 - 1;

/**
 * The error for an option with a wrong value.
 * @param expected - What it must be: a phrase.
 * @param advice - What to do, if that does not follow from it: a sentence.
 */
export function invalidOption(
  option: string,
  value: unknown,
  expected: string,
  advice?: string,
): PtcError {
  return wrongValue(option, value, `${option} must be ${expected}`, advice);
}

/** The error for a function of the user's that returned a wrong value. */
export function invalidReturn(option: string, value: unknown, expected: string): PtcError {
  return wrongValue(option, value, `${option} must return ${expected}`);
}

function wrongValue(option: string, value: unknown, what: string, advice?: string): PtcError {
  const message = `${what}, not ${showValue(value)}.${advice === undefined ? '' : ` ${advice}`}`;
  return new PtcError('OPTION_INVALID', message, { details: { option, value } });
}

/** @throws PtcError `OPTION_INVALID` for a value that is not a number, is infinite, or is not positive. */
export function checkPositive(option: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return;
  throw invalidOption(option, value, 'a positive number');
}

/** @throws PtcError `OPTION_INVALID` for a value that is not a whole number, or is less than `least`. */
export function checkCount(option: string, value: unknown, least: number): void {
  if (Number.isInteger(value) && Number(value) >= least) return;
  throw invalidOption(option, value, `a whole number, at least ${least}`);
}

/** Whether a value is a number of milliseconds that Node's timers can wait. */
export function isDelay(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= LONGEST_DELAY_MS;
}

/** @throws PtcError `OPTION_INVALID` for a value that Node's timers cannot wait. */
export function checkDelay(option: string, value: unknown): void {
  if (isDelay(value)) return;
  throw invalidOption(option, value, `more than 0 and at most ${LONGEST_DELAY_MS} ms`);
}

/** @throws PtcError `OPTION_INVALID` for a value that is neither 0 nor one that Node's timers can wait. */
export function checkWait(option: string, value: unknown): void {
  if (value === 0 || isDelay(value)) return;
  throw invalidOption(option, value, `at least 0 and at most ${LONGEST_DELAY_MS} ms`);
}

/** @throws PtcError `OPTION_INVALID` for a value that is not among the known ones. */
export function checkOneOf(option: string, value: unknown, known: readonly unknown[]): void {
  if (!known.includes(value)) throw invalidOption(option, value, oneOf(known));
}

/** What an option must be that has one of some values: a phrase. */
export function oneOf(known: readonly unknown[]): string {
  return `one of ${known.map(showValue).join(', ')}`;
}

/** @throws PtcError `OPTION_INVALID` for a value that is not an `AbortSignal`. */
export function checkSignal(signal: unknown): void {
  if (signal === undefined || isOfKind(signal, 'signal')) return;
  throw invalidOption('signal', signal, OPTION_KINDS.signal.expected);
}
