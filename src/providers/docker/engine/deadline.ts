import { unlessAborted } from '../../../shared/async/abort.ts';
import { AnySignal } from '../../../shared/async/any-signal.ts';
import { PtcError } from '../../../shared/errors.ts';

/** Deadline of calls that take an engine milliseconds if it works. */
export const CALL_DEADLINE_MS = 15_000;

/**
 * Calls the engine, with a deadline after which the call is aborted.
 * @param what - What the engine was asked to do, for the error message.
 * @param signal - Aborts the call too.
 * @throws PtcError `SANDBOX_UNAVAILABLE` at the deadline, `ABORTED` if the signal fires first.
 */
export async function withDeadline<Result>(
  what: string,
  deadlineMs: number,
  call: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  using within = new AnySignal(signal);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `The container engine did not ${what} within ${deadlineMs} ms.`;
      const error = new PtcError('SANDBOX_UNAVAILABLE', message, { details: { deadlineMs } });
      reject(error);
      within.abort(error);
    }, deadlineMs);
  });
  try {
    return await unlessAborted(Promise.race([call(within.signal), late]), signal);
  } finally {
    clearTimeout(timer);
  }
}
