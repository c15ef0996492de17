import { PtcError } from '../shared/errors.ts';

/** The error for an option with a wrong value. @param expected - What it must be: a phrase. */
export function invalid(option: string, value: unknown, expected: string): PtcError {
  return new PtcError('OPTION_INVALID', `${option} must be ${expected}, not ${shown(value)}.`, {
    details: { option, value },
  });
}

/** A text in quotes, so that "5000" does not look like a number. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? 'an array' : 'an object';
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
