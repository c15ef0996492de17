import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { scriptedTool } from '../support.ts';

/** How a server answers to a call of a tool with this id. */
export type AnswerCall = (response: ServerResponse, id: number) => void;

/** Answers a call with one text. */
function answerWith(text: string): AnswerCall {
  return (response, id) => {
    answer(response, id, { result: { content: [{ type: 'text', text }] } });
  };
}

/**
 * A server of the revision 2025-11-25 without sessions, by Streamable HTTP. It writes each answer itself,
 * so that it can break the protocol.
 */
export class RawHttpServer {
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch((error: unknown) => this.#server.emit('error', error));
  });
  /** The names of its tools, each with its description. */
  tools: Readonly<Record<string, string>> = { t: 'Does it.' };
  answerCall: AnswerCall = answerWith('done');
  /** Gets the answers of the client to requests of the server. Without it, they are refused. */
  takeAnswer: ((response: ServerResponse) => void) | undefined;
  /** With what it refuses the streams on which it would announce changes, if it does. */
  streamStatus: number | undefined;
  /** Gets the streams on which it would announce changes. By default, they stay open. */
  onStream: ((response: ServerResponse) => void) | undefined;
  readonly #streams = new Set<ServerResponse>();

  static async start(): Promise<RawHttpServer> {
    const started = new RawHttpServer();
    const server = started.#server;
    // Otherwise it closes a connection that is idle for some seconds, also if only this process was busy.
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  /** Ends the streams on which it would announce changes, as a server that starts again. */
  async cutStreams(): Promise<void> {
    // A client opens one some time after it has connected.
    if (this.#streams.size === 0) await once(this.#server, 'stream');
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return this.#openStream(response);
    const { id, method } = (await json(request)) as { id?: number; method?: string };
    if (method === undefined && this.takeAnswer) this.takeAnswer(response);
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'initialize') answer(response, id, { result: INITIALIZED });
    else if (method === 'tools/list') answer(response, id, { result: { tools: this.#listed() } });
    else if (method === 'tools/call') this.answerCall(response, id);
    else answer(response, id, { error: { code: -32_601, message: 'unknown method' } });
  }

  #openStream(response: ServerResponse): void {
    if (this.streamStatus !== undefined) return void response.writeHead(this.streamStatus).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (this.onStream !== undefined) return this.onStream(response);
    // The client is to open it again after 10 ms.
    response.write('retry: 10\n\n');
    this.#streams.add(response);
    this.#server.emit('stream');
  }

  #listed(): readonly object[] {
    return Object.entries(this.tools).map(([name, description]) =>
      scriptedTool(name, { description }),
    );
  }
}

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'raw', version: '1' },
};

function answer(response: ServerResponse, id: number, more: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...more }));
}
