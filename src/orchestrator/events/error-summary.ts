import { messageOf, PtcError, type PtcErrorCode } from '../../shared/errors.ts';

/**
 * The code and the message that events contain for an error. An error of other origin gets the code
 * with which a run ends for it.
 */
export function errorSummary(error: unknown): {
  readonly code: PtcErrorCode;
  readonly message: string;
} {
  const code = PtcError.isInstance(error) ? error.code : 'RUN_FAILED';
  return { code, message: messageOf(error) };
}
