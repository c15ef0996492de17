import { messageOf, PtcError } from '../../../shared/errors.ts';
import { throwIfLoadFailure } from '../../../shared/installation.ts';

/** The HTTP status of an engine's answer. Undefined if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** The engine's message, without the prefix of dockerode: `(HTTP code 400) bad parameter - `. */
export function reasonOf(error: unknown): string {
  return messageOf(error)
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .trim();
}

/** @throws PtcError `SANDBOX_UNAVAILABLE`: the engine failed to do what was requested. */
export function asUnavailable(error: unknown): never {
  if (PtcError.isInstance(error)) throw error;
  throwIfLoadFailure(error);
  const message = `The container engine failed: ${reasonOf(error)}. Check whether it runs and answers, for example by \`docker version\`.`;
  throw new PtcError('SANDBOX_UNAVAILABLE', message, { cause: error });
}

/** The error for a container of `image` that did not start. */
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
    return new PtcError(
      'IMAGE_UNAVAILABLE',
      `The engine does not have the image ${image}.`,
      options,
    );
  }
  if (/python3.*(?:not found|no such file)/i.test(reason)) {
    return new PtcError(
      'SANDBOX_START_FAILED',
      `The image ${image} has no python3 in its PATH. Use an image with Python 3.9 or newer, ` +
        'or leave out the `image` option to have one built.',
      options,
    );
  }
  const message = `The container engine could not start the sandbox: ${reason}`;
  return new PtcError('SANDBOX_START_FAILED', message, options);
}
