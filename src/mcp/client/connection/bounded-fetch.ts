import { AnySignal } from '../../../shared/async/any-signal.ts';
import { loginAnswer } from '../auth/login-answer.ts';

const NEWLINE = 10;
const RETURN = 13;

/** How long an authorization server may take to answer, in milliseconds. */
const LOGIN_TIMEOUT_MS = 30_000;

/**
 * A `fetch` whose answers fail when one message has more bytes than the limit: a whole body, or an
 * event of a stream of events, which may go on for as long as the connection lasts.
 * @param end - Ends requests of a login, to which the client gives no signal.
 */
export function boundedFetch(
  limit: number,
  end: AbortSignal,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    using login = init?.signal
      ? undefined
      : new AnySignal(end, AbortSignal.timeout(LOGIN_TIMEOUT_MS));
    const response = await fetch(url, { ...init, ...(login && { signal: login.signal }) });
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(counter(limit, isStream));
    const bounded = new Response(body, { status, statusText, headers });
    // The client compares it with the address that it asked.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return login === undefined ? bounded : await loginAnswer(bounded);
  };
}

function counter(limit: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let isLineEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (isStream) {
        for (const [at, byte] of chunk.entries()) {
          // An empty line ends an event.
          if (byte === NEWLINE && isLineEmpty) size = chunk.length - at - 1;
          if (byte !== RETURN) isLineEmpty = byte === NEWLINE;
        }
      }
      if (size > limit) {
        controller.error(new TypeError(`the server sent a message of more than ${limit} bytes`));
        return;
      }
      controller.enqueue(chunk);
    },
  });
}
