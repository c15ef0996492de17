import { PtcError } from '../../../shared/errors.ts';

/** Deadline of calls that take an engine milliseconds if it works. */
export const CALL_DEADLINE_MS = 15_000;

/**
 * Calls the engine, with a deadline after which the call is aborted.
 * @param what - What the engine was asked to do, for the error message.
 * @throws PtcError `SANDBOX_UNAVAILABLE` at the deadline.
 */
export async function withDeadline<Result>(
  what: string,
  deadlineMs: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `The container engine did not ${what} within ${deadlineMs} ms.`;
      reject(new PtcError('SANDBOX_UNAVAILABLE', message, { details: { deadlineMs } }));
      controller.abort();
    }, deadlineMs);
  });
  try {
    return await Promise.race([call(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
