const NEWLINE = 10;
const RETURN = 13;

/**
 * A `fetch` whose answers fail when one message has more bytes than the limit: a whole body, or an
 * event of a stream of events, which may go on for as long as the connection lasts.
 */
export function boundedFetch(
  limit: number,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(counter(limit, isStream));
    const bounded = new Response(body, { status, statusText, headers });
    // The client compares it with the address that it asked.
    return Object.defineProperty(bounded, 'url', { value: response.url });
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
