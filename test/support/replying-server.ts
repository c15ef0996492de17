import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ReplyingServer extends AsyncDisposable {
  /** Its address, such as `http://127.0.0.1:40321`. */
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
  /** Resolves once a client has gone away before its answer was complete. */
  readonly clientGone: Promise<unknown>;
}

/** An HTTP server on loopback that answers with the given replies, in their order. */
export async function startReplyingServer<Reply>(
  replies: readonly Reply[],
  send: (response: ServerResponse, reply: Reply) => void,
): Promise<ReplyingServer> {
  const requests: RecordedRequest[] = [];
  const watch = new EventEmitter();
  const clientGone = once(watch, 'client-gone');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
      });
      response.once('close', () => {
        if (!response.writableEnded) watch.emit('client-gone');
      });
      const reply = replies[requests.length - 1];
      if (reply !== undefined) send(response, reply);
      else response.writeHead(418).end('The test has no reply to this request.');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    clientGone,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

/** Writes what there is of an event stream, and does to its connection what was asked. */
export function sendStream(
  response: ServerResponse,
  {
    text,
    bytes,
    ending,
  }: { text: string; bytes?: number | undefined; ending: 'end' | 'cut' | 'hang' },
): void {
  const written = Buffer.from(text).subarray(0, bytes);
  if (ending === 'end') response.end(written);
  // Destroyed only after the bytes are out, so that the client sees them and then the break.
  else response.write(written, () => ending === 'cut' && response.destroy());
}
