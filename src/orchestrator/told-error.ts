import { messageOf, PtcError, type PtcErrorCode } from '../shared/errors.ts';

/** What events tell of an error. One that is not of this package has the code that a run ends with for it. */
export function toldError(error: unknown): {
  readonly code: PtcErrorCode;
  readonly message: string;
} {
  const code = PtcError.isInstance(error) ? error.code : 'RUN_FAILED';
  return { code, message: messageOf(error) };
}
