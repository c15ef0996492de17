import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { formatEvent, messageEvents } from '../../src/models/messages-events.ts';
import type { WireAnswer, WireEvent } from '../../src/models/messages-events.ts';

export interface RecordedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** How one request is answered. */
export type Reply =
  /** An HTTP error. */
  | {
      readonly status: number;
      readonly error: { readonly type: string; readonly message: string };
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Events, and then what becomes of the connection. */
  | {
      readonly events: readonly WireEvent[];
      readonly ending: 'end' | 'cut' | 'hang';
      /** How many bytes of the events go out. @default all */
      readonly bytes?: number;
    };

export interface AnthropicServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: readonly RecordedRequest[];
  /** Resolves once a client has gone away before its answer was complete. */
  readonly clientGone: Promise<unknown>;
}

/** A server that speaks the Messages API and answers with the given replies, in their order. */
export async function startAnthropicServer(replies: readonly Reply[]): Promise<AnthropicServer> {
  const requests: RecordedRequest[] = [];
  const watch = new EventEmitter();
  const clientGone = once(watch, 'client-gone');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
      });
      response.once('close', () => {
        if (!response.writableEnded) watch.emit('client-gone');
      });
      send(response, replies[requests.length - 1]);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
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

function send(response: ServerResponse, reply: Reply | undefined): void {
  if (reply === undefined) {
    response.writeHead(418).end('The test has no reply to this request.');
    return;
  }
  if ('status' in reply) {
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'request-id': 'req_test',
      ...reply.headers,
    });
    response.end(JSON.stringify({ type: 'error', error: reply.error }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const text = Buffer.from(reply.events.map(formatEvent).join('')).subarray(0, reply.bytes);
  if (reply.ending === 'end') response.end(text);
  // Destroyed only after the bytes are out, so that the client sees them and then the break.
  else response.write(text, () => reply.ending === 'cut' && response.destroy());
}

/** The events of a whole answer, `usage` and the rest filled in. */
export function wholeAnswer(answer: Partial<WireAnswer>): WireEvent[] {
  return [
    ...messageEvents({
      id: 'msg_test',
      model: 'claude-test',
      content: [],
      stopReason: 'end_turn',
      usage: {
        input_tokens: 10,
        output_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      ...answer,
    }),
  ];
}
