import { PtcError } from '../../shared/errors.ts';

/** How long an engine may take for what it does in milliseconds when it is well. */
export const CALL_DEADLINE_MS = 15_000;

/**
 * Runs a call to the engine that cannot hang: at its deadline it is cut off and given up.
 * @param what - What the engine was asked to do, for the message.
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
