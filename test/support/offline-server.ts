import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../src/shared/errors.ts';
import { inBackground } from '../../src/shared/async/background.ts';
import { estimateTokens } from '../../src/models/estimate-tokens.ts';
import { formatEvent, messageEvents } from './messages-events.ts';
import type { WireBlock } from './messages-events.ts';

/** A request of the Messages API. Fields that scripts do not need are not in this type. */
export interface OfflineRequest {
  readonly model: string;
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly messages: readonly OfflineMessage[];
}

export interface OfflineMessage {
  readonly role: string;
  /**
   * A text, or content blocks such as `{ type: 'tool_result', tool_use_id, content, is_error }`.
   */
  readonly content:
    | string
    | readonly { readonly type: string; readonly [field: string]: unknown }[];
}

export interface OfflineAnswer {
  readonly content: readonly WireBlock[];
  /** The service's name, such as `tool_use` or `end_turn`. */
  readonly stopReason: string;
}

/** Returns the answer to a request. If it throws, the server answers with the HTTP status 500. */
export type OfflineScript = (request: OfflineRequest) => OfflineAnswer | Promise<OfflineAnswer>;

export interface OfflineModel extends AsyncDisposable {
  /** The URL of the server, for the `baseUrl` of `anthropicModel`. Any API key works. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * Starts a server on this machine that implements the Messages API and answers from a script, so
 * that everything above it runs as with the service. Token counts are estimated from the request
 * and the answer: one token for every four characters of text, 1400 for an image or a PDF.
 */
export async function startOfflineModel(script: OfflineScript): Promise<OfflineModel> {
  const server = createServer((request, response) => {
    inBackground(answer(script, request, response));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  };
  return { baseUrl: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}

async function answer(
  script: OfflineScript,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await readBody(incoming);
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) {
      fail(response, ...refusal);
      return;
    }
    const request = parse(body);
    if (request === undefined) {
      fail(response, 400, 'invalid_request_error', 'The body is not a streaming Messages request.');
      return;
    }
    const { content, stopReason } = await script(request);
    const { system, tools, messages } = request;
    const usage = {
      input_tokens: tokensOf({ system, tools, messages }),
      output_tokens: estimateTokens(JSON.stringify(content)),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const id = `msg_${randomUUID()}`;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of messageEvents({ id, model: request.model, content, stopReason, usage })) {
      response.write(formatEvent(event));
    }
    response.end();
  } catch (error) {
    fail(response, 500, 'api_error', messageOf(error));
  }
}

/** The sources of images and documents count as 1400, unless they are text. */
function tokensOf(request: object): number {
  let files = 0;
  const text = JSON.stringify(request, (key, value: unknown) => {
    if (key !== 'source' || !isRecord(value) || value['type'] === 'text') return value;
    files += 1;
    return undefined;
  });
  return estimateTokens(text) + 1400 * files;
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding('utf8');
  let body = '';
  for await (const chunk of incoming) body += chunk;
  return body;
}

/**
 * Refuses what the service would refuse, so that a mistake is noticed here and not in production.
 */
function refusalOf({
  method,
  url,
  headers,
}: IncomingMessage): [number, string, string] | undefined {
  if (method !== 'POST' || url?.split('?')[0] !== '/v1/messages') {
    return [404, 'not_found_error', `There is no ${method ?? ''} ${url ?? ''} here.`];
  }
  if (!headers['x-api-key'] && !headers.authorization) {
    return [401, 'authentication_error', 'x-api-key or authorization header is required'];
  }
  if (!headers['anthropic-version']) {
    return [400, 'invalid_request_error', 'anthropic-version: header is required'];
  }
  return undefined;
}

function fail(response: ServerResponse, status: number, type: string, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // A retry of a script that failed would fail too.
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}

function parse(body: string): OfflineRequest | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isRequest(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRequest(value: unknown): value is OfflineRequest {
  return (
    isRecord(value) &&
    typeof value['model'] === 'string' &&
    typeof value['max_tokens'] === 'number' &&
    value['stream'] === true &&
    Array.isArray(value['messages']) &&
    value['messages'].length > 0 &&
    value['messages'].every(
      (message: unknown) =>
        isRecord(message) &&
        (typeof message['content'] === 'string' ||
          (Array.isArray(message['content']) && message['content'].every(isRecord))),
    )
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
