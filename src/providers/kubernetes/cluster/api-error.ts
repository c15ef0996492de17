import { isRecord } from '../../../shared/guards.ts';

/** The API server refused a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The status of its answer. */
  readonly status: number;

  /** @param request - The method and the path. @param body - What it answered. */
  constructor(request: string, status: number, body: string) {
    super(`${request}: ${status} ${reasonIn(body)}`.trim());
    this.status = status;
  }
}

const LONGEST_REASON = 500;

/** The message of a `Status`, the object with which the API server refuses. */
function reasonIn(body: string): string {
  try {
    const status: unknown = JSON.parse(body);
    if (isRecord(status) && typeof status['message'] === 'string') {
      return status['message'].slice(0, LONGEST_REASON);
    }
  } catch {
    // A proxy in between may answer anything.
  }
  return body.slice(0, LONGEST_REASON);
}
