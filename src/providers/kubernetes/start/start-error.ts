import { messageOf, PtcError } from '../../../shared/errors.ts';
import { ApiError } from '../cluster/api-error.ts';
import { isUnprepared } from './create-pod.ts';

/** What a command prints that mends missing rights and objects. */
export const INSTALL = 'Apply what `npx sandboxed-ptc cluster manifests` prints';

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** The error for a request of the provider that failed. */
export function asClusterError(error: unknown): PtcError {
  if (PtcError.isInstance(error)) return error;
  if (!(error instanceof ApiError)) {
    return new PtcError('SANDBOX_UNAVAILABLE', `The cluster failed: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  const { status, reason, answer } = error;
  const options = { cause: error, details: { reason } };
  if (reason === 'Forbidden' && answer.includes('exceeded quota')) {
    const message = `The namespace has no room for another sandbox: ${answer}. End other sandboxes, or raise the quota.`;
    return new PtcError('SANDBOX_LIMIT', message, options);
  }
  if (isUnprepared(error)) {
    const message = `The cluster has not prepared the namespace for pods: ${answer}. If it is new, run again in a moment. Otherwise make what is missing.`;
    return new PtcError('SANDBOX_UNAVAILABLE', message, options);
  }
  // The API server itself says this with a text, without a reason.
  if (status === TOO_MANY_REQUESTS) {
    const message = `The API server has too many requests: ${answer}. Run again later.`;
    return new PtcError('SANDBOX_UNAVAILABLE', message, options);
  }
  if (reason === 'Forbidden') {
    const message = `The cluster does not allow it: ${answer}. ${INSTALL}, and use its ServiceAccount.`;
    return new PtcError('SANDBOX_UNAVAILABLE', message, options);
  }
  if (reason === 'Unauthorized') {
    const message = `The API server does not know this process: ${error.message}. Renew the credentials of the kubeconfig.`;
    return new PtcError('SANDBOX_UNAVAILABLE', message, options);
  }
  if (reason === 'NotFound') {
    const message = `The cluster lacks something that sandboxes need: ${answer}. ${INSTALL}.`;
    return new PtcError('SANDBOX_UNAVAILABLE', message, options);
  }
  // A webhook that fails is told of with the same status, and concerns only what it is asked about.
  if (status >= SERVER_ERROR && !answer.includes('webhook')) {
    const message = `The API server cannot answer at the moment: ${error.message}. Run again later.`;
    return new PtcError('SANDBOX_UNAVAILABLE', message, options);
  }
  return new PtcError(
    'SANDBOX_START_FAILED',
    `The cluster refused a sandbox: ${error.message}`,
    options,
  );
}
