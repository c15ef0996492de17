import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface RecordedChat {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** How one request is answered. */
export type ChatReply =
  /** An HTTP error. */
  | {
      readonly status: number;
      readonly body: object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Chunks, and then what becomes of the connection; `done` is the way it should end. */
  | {
      /** A text is a line as it goes out, for what is no chunk. */
      readonly chunks: readonly (object | string)[];
      readonly ending: 'done' | 'end' | 'cut' | 'hang';
      /** How many bytes of the chunks go out. @default all */
      readonly bytes?: number;
    };

export interface OpenAIServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: readonly RecordedChat[];
  /** Resolves once a client has gone away before its answer was complete. */
  readonly clientGone: Promise<unknown>;
}

/** A server that speaks the Chat Completions API and answers with the given replies, in their order. */
export async function startOpenAIServer(replies: readonly ChatReply[]): Promise<OpenAIServer> {
  const requests: RecordedChat[] = [];
  const watch = new EventEmitter();
  const clientGone = once(watch, 'client-gone');
  const server = createServer((request, response) => {
    const received: Buffer[] = [];
    request.on('data', (bytes: Buffer) => received.push(bytes));
    request.on('end', () => {
      requests.push({
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(received).toString('utf8')),
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
    baseUrl: `http://127.0.0.1:${port}/v1`,
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

function send(response: ServerResponse, reply: ChatReply | undefined): void {
  if (reply === undefined) {
    response.writeHead(418).end('The test has no reply to this request.');
    return;
  }
  if ('status' in reply) {
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'x-request-id': 'req_test',
      ...reply.headers,
    });
    response.end(JSON.stringify(reply.body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_test' });
  const lines = reply.chunks.map((one) =>
    typeof one === 'string' ? one : `data: ${JSON.stringify(one)}`,
  );
  if (reply.ending === 'done') lines.push('data: [DONE]');
  const text = Buffer.from(lines.map((line) => `${line}\n\n`).join('')).subarray(0, reply.bytes);
  if (reply.ending === 'done' || reply.ending === 'end') response.end(text);
  // Destroyed only after the bytes are out, so that the client sees them and then the break.
  else response.write(text, () => reply.ending === 'cut' && response.destroy());
}

/** A chunk with a delta, as OpenAI sends it. */
export function chunk(delta: object, finishReason: string | null = null): object {
  return {
    id: 'chatcmpl-test',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-test',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    usage: null,
  };
}

/** The chunk after the last delta, which has the token counts. */
export function usageChunk(usage: object): object {
  return { ...chunk({}), choices: [], usage };
}

/** A whole answer of these deltas. */
export function answer(deltas: readonly object[], finishReason: string = 'stop'): ChatReply {
  return {
    chunks: [
      chunk({ role: 'assistant', content: '', refusal: null }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finishReason),
      usageChunk({ prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }),
    ],
    ending: 'done',
  };
}

/** A piece of a tool call: its first with id and name, the others with arguments alone. */
export function callDelta(
  index: number,
  text: string,
  start?: { readonly id: string; readonly name: string },
): object {
  const call =
    start === undefined
      ? { index, function: { arguments: text } }
      : {
          index,
          id: start.id,
          type: 'function',
          function: { name: start.name, arguments: text },
        };
  return { tool_calls: [call] };
}
