import { messageOf, PtcError } from '../../shared/errors.ts';
import { throwIfLoadFailure } from '../../shared/installation.ts';

/** The status of an engine's HTTP answer; undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** What the engine said, without what its client puts before it: `(HTTP code 400) bad parameter - `. */
export function reasonOf(error: unknown): string {
  return messageOf(error)
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .trim();
}

/** @throws PtcError `SANDBOX_UNAVAILABLE`, for an engine that did not do what it was asked. */
export function asUnavailable(error: unknown): never {
  if (PtcError.isInstance(error)) throw error;
  throwIfLoadFailure(error);
  const message = `The container engine failed: ${reasonOf(error)}. Look whether it is well.`;
  throw new PtcError('SANDBOX_UNAVAILABLE', message, { cause: error });
}

/** Tells what it means that a container of `image` did not start. */
export function asStartError(error: unknown, image: string): PtcError {
  if (PtcError.isInstance(error)) return error;
  throwIfLoadFailure(error);
  const status = statusOf(error);
  const reason = reasonOf(error);
  const options = { cause: error, details: { image, status } };
  if (status === undefined) {
    const message = `The container engine stopped answering while a sandbox was started: ${reason}.`;
    return new PtcError('SANDBOX_UNAVAILABLE', message, options);
  }
  if (status === 404 && /no such image/i.test(reason)) {
    return new PtcError('IMAGE_UNAVAILABLE', `The engine has no image ${image}.`, options);
  }
  if (/python3.*(?:not found|no such file)/i.test(reason)) {
    return new PtcError(
      'SANDBOX_START_FAILED',
      `The image ${image} has no python3 in its PATH. Use an image with Python 3.9 or newer, ` +
        'or leave out the `image` option to have one built.',
      options,
    );
  }
  const message = `The container engine did not start the sandbox: ${reason}`;
  return new PtcError('SANDBOX_START_FAILED', message, options);
}
