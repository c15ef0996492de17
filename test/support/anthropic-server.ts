import type { ServerResponse } from 'node:http';
import { formatEvent, messageEvents } from './messages-events.ts';
import type { WireAnswer, WireEvent } from './messages-events.ts';
import { sendStream, startReplyingServer } from './replying-server.ts';
import type { ReplyingServer } from './replying-server.ts';

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

export interface AnthropicServer extends ReplyingServer {
  readonly baseUrl: string;
}

/** A server that speaks the Messages API and answers with the given replies, in their order. */
export async function startAnthropicServer(replies: readonly Reply[]): Promise<AnthropicServer> {
  const server = await startReplyingServer(replies, send);
  return { ...server, baseUrl: server.origin };
}

function send(response: ServerResponse, reply: Reply): void {
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
  const text = reply.events.map(formatEvent).join('');
  sendStream(response, { text, bytes: reply.bytes, ending: reply.ending });
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
