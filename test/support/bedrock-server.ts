import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { Buffer } from 'node:buffer';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http2';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { encodeMessage } from './event-stream.ts';

export interface RecordedConverse {
  readonly path: string;
  readonly body: unknown;
}

/** One event of a ConverseStream: its name, or an exception's, and its fields. */
export interface ConverseEvent {
  readonly event?: string;
  readonly exception?: string;
  readonly fields: object;
}

/** How one request is answered. */
export type ConverseReply =
  /** An exception instead of an answer. */
  | {
      readonly status: number;
      readonly exception: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The answer of Converse. */
  | { readonly answer: object }
  /** This piece of an answer, again and again until the client has gone. */
  | { readonly endless: Buffer }
  /** Events of ConverseStream, and what then becomes of the connection. `tear` leaves out the last bytes. */
  | {
      readonly events: readonly ConverseEvent[];
      readonly ending: 'end' | 'cut' | 'hang' | 'tear';
      /** How many bytes of the events go out. @default all */
      readonly bytes?: number;
    };

export interface BedrockServer extends AsyncDisposable {
  /** Its address, such as `http://127.0.0.1:40321`. */
  readonly origin: string;
  /** The real client, as it comes but for its address and credentials. */
  readonly client: BedrockRuntimeClient;
  readonly requests: readonly RecordedConverse[];
  /** Resolves once a client has gone away before its answer was complete. */
  readonly clientGone: Promise<unknown>;
}

/**
 * A server that speaks Bedrock's Converse API over HTTP/2 and answers with the given replies, in their order.
 * @param maxAttempts - How often its client sends a request.
 */
export async function startBedrockServer(
  replies: readonly ConverseReply[],
  maxAttempts: number = 1,
): Promise<BedrockServer> {
  const requests: RecordedConverse[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const watch = new EventEmitter();
  const clientGone = once(watch, 'client-gone');
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // A client that aborts resets its connection.
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => {});
    stream.once('end', () => {
      requests.push({
        path: String(headers[':path']),
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
      });
      stream.once('aborted', () => watch.emit('client-gone'));
      send(stream, replies[requests.length - 1]);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  const client = new BedrockRuntimeClient({
    endpoint: origin,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts,
  });
  return {
    origin,
    client,
    requests,
    clientGone,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function send(stream: ServerHttp2Stream, reply: ConverseReply | undefined): void {
  if (reply === undefined || 'status' in reply) {
    const { status, exception, message, headers } = reply ?? noReply;
    stream.respond({
      ':status': status,
      'content-type': 'application/json',
      'x-amzn-errortype': exception,
      'x-amzn-requestid': 'request-test',
      ...headers,
    });
    stream.end(JSON.stringify({ message }));
    return;
  }
  if ('answer' in reply) {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.end(JSON.stringify(reply.answer));
    return;
  }
  stream.respond({
    ':status': 200,
    'content-type': 'application/vnd.amazon.eventstream',
    'x-amzn-requestid': 'request-test',
  });
  if ('endless' in reply) {
    const more = (): void => {
      while (!stream.destroyed && stream.write(reply.endless));
    };
    stream.on('drain', more);
    more();
    return;
  }
  const bytes = Buffer.concat(reply.events.map(encodeEvent)).subarray(0, reply.bytes);
  if (reply.ending === 'end') stream.end(bytes);
  else if (reply.ending === 'tear') stream.end(bytes.subarray(0, -7));
  // Broken off only after the bytes are out, so that the client sees them and then the break.
  else stream.write(bytes, () => reply.ending === 'cut' && stream.session?.destroy());
}

const noReply = {
  status: 418,
  exception: 'TeapotException',
  message: 'The test has no reply.',
  headers: {},
};

/** An event as it goes over the wire. */
export function encodeEvent({ event, exception, fields }: ConverseEvent): Buffer {
  const kind =
    exception === undefined
      ? { ':event-type': event ?? '', ':message-type': 'event' }
      : { ':exception-type': exception, ':message-type': 'exception' };
  return encodeMessage({ ...kind, ':content-type': 'application/json' }, JSON.stringify(fields));
}
