import { PtcError } from '../shared/errors.ts';
import { showValue } from '../shared/show-value.ts';

/** The error for an option with a wrong value. @param expected - What it must be: a phrase. */
export function invalid(option: string, value: unknown, expected: string): PtcError {
  return new PtcError('OPTION_INVALID', `${option} must be ${expected}, not ${showValue(value)}.`, {
    details: { option, value },
  });
}
