import { isRecord } from '../../../shared/guards.ts';

const LONGEST_MESSAGE = 500;

/** The API server, or something in between, refused a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Of the answer, whoever gave it. */
  readonly status: number;
  /**
   * The API server's word for why, such as `NotFound`. Undefined if the answer is not its own: a
   * kubelet that has just started says with the status 404 that it does not know a pod yet.
   */
  readonly reason: string | undefined;
  /** What the API server says, without the request. */
  readonly answer: string;

  /** @param request - The method and the path. @param body - What was answered. */
  constructor(request: string, status: number, body: string) {
    const { message = body, reason } = statusIn(body);
    super(`${request}: ${status} ${message.slice(0, LONGEST_MESSAGE)}`.trim());
    this.status = status;
    this.reason = reason;
    this.answer = message.slice(0, LONGEST_MESSAGE).trim();
  }
}

/** The API server refuses with an object of the kind `Status`. */
function statusIn(body: string): { readonly message?: string; readonly reason?: string } {
  try {
    const status: unknown = JSON.parse(body);
    if (!isRecord(status) || status['kind'] !== 'Status') return {};
    const { message, reason } = status;
    return {
      ...(typeof message === 'string' && { message }),
      ...(typeof reason === 'string' && { reason }),
    };
  } catch {
    return {};
  }
}
