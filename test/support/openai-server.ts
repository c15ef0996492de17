import type { ServerResponse } from 'node:http';
import { sendStream, startReplyingServer } from './replying-server.ts';
import type { ReplyingServer } from './replying-server.ts';

/** How one request is answered. */
export type ChatReply =
  /** An HTTP error. */
  | {
      readonly status: number;
      readonly body: object;
      readonly headers?: Readonly<Record<string, string>>;
      /** What becomes of the connection in the middle of the body. @default nothing */
      readonly ending?: 'cut' | 'hang';
    }
  /** Chunks, and then what becomes of the connection; `done` is the way it should end. */
  | {
      /** A text is a line as it goes out, for what is not a chunk. */
      readonly chunks: readonly (object | string)[];
      readonly ending: 'done' | 'end' | 'cut' | 'hang';
      /** How many bytes of the chunks go out. @default all */
      readonly bytes?: number;
    };

export interface OpenAIServer extends ReplyingServer {
  readonly baseUrl: string;
}

/** A server that speaks the Chat Completions API and answers with the given replies, in their order. */
export async function startOpenAIServer(replies: readonly ChatReply[]): Promise<OpenAIServer> {
  const server = await startReplyingServer(replies, send);
  return { ...server, baseUrl: `${server.origin}/v1` };
}

function send(response: ServerResponse, reply: ChatReply): void {
  if ('status' in reply) {
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'x-request-id': 'req_test',
      ...reply.headers,
    });
    const { body, ending = 'end' } = reply;
    const text = JSON.stringify(body);
    sendStream(response, { text, bytes: ending === 'end' ? undefined : text.length / 2, ending });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_test' });
  const lines = reply.chunks.map((one) =>
    typeof one === 'string' ? one : `data: ${JSON.stringify(one)}`,
  );
  if (reply.ending === 'done') lines.push('data: [DONE]');
  const text = lines
    .map(
      (line) => `${line}

`,
    )
    .join('');
  const ending = reply.ending === 'done' ? 'end' : reply.ending;
  sendStream(response, { text, bytes: reply.bytes, ending });
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
