import { randomBytes } from 'node:crypto';
import type {
  AuthInfo,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { inBackground } from '../../../shared/async/background.ts';
import { MAX_OF_CALLER, type CallerCalls } from '../calls/caller-calls.ts';
import { Calls } from '../calls/calls.ts';
import type { NamedSessions } from '../sessions/named-sessions.ts';
import { announceTo, protocolServer } from '../protocol-server.ts';
import type { Served } from '../served.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

/** What the connections have together with the clients that have none. */
interface Shared {
  readonly sessions: NamedSessions;
  readonly callers: CallerCalls;
}

interface LegacyConnection {
  readonly caller: string;
  readonly calls: Calls;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: McpServer;
  readonly close: () => Promise<void>;
}

/**
 * The connections of clients of the revisions until 2025, which the protocol calls sessions. They
 * are kept by their ids, because a server asks the user with requests of its own, which the client
 * answers with another HTTP request. A client may never end its connection: if a caller has more
 * than 100, the one without a running call that it has not used for longest ends.
 */
export class LegacyConnections {
  readonly #sdk: Sdk;
  readonly #served: Served;
  readonly #shared: Shared;
  /** By id, in the order of their last use. */
  readonly #connections: Map<string, LegacyConnection> = new Map();
  #isClosed = false;

  constructor(sdk: Sdk, served: Served, shared: Shared) {
    this.#sdk = sdk;
    this.#served = served;
    this.#shared = shared;
  }

  async fetch(request: Request, authInfo: AuthInfo): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null && this.#isFull(authInfo.clientId)) return TOO_MANY();
    const connection =
      id === null ? await this.#connect(authInfo.clientId) : this.#find(id, authInfo.clientId);
    if (connection === undefined || this.#isClosed) return UNKNOWN();
    const { transport, close } = connection;
    const response = await transport.handleRequest(request, { authInfo });
    // The request did not begin a connection.
    if (transport.sessionId === undefined) inBackground(close());
    return response;
  }

  /** Tells all clients that the tools have changed. */
  announce(): void {
    for (const { server } of this.#connections.values()) announceTo(server);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections.values()].map(async ({ close }) => close()));
  }

  #find(id: string, caller: string): LegacyConnection | undefined {
    const connection = this.#connections.get(id);
    if (connection?.caller !== caller) return undefined;
    this.#connections.delete(id);
    this.#connections.set(id, connection);
    return connection;
  }

  async #connect(caller: string): Promise<LegacyConnection> {
    const { sessions, callers } = this.#shared;
    const calls = new Calls(this.#sdk, this.#served, sessions.ofConnection(), callers);
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('base64url'),
      onsessioninitialized: (id) => this.#add(id, connection),
    });
    const server = protocolServer(this.#sdk, this.#served, calls, 'legacy');
    const connection: LegacyConnection = {
      caller,
      calls,
      transport,
      server,
      close: async () => {
        await server.close();
        await calls.close();
      },
    };
    // Also called when the client ends the connection.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    server.server.onclose = () => {
      if (transport.sessionId !== undefined) this.#connections.delete(transport.sessionId);
      inBackground(calls.close());
    };
    await server.connect(transport);
    return connection;
  }

  #add(id: string, connection: LegacyConnection): void {
    const own = this.#ofCaller(connection.caller);
    if (own.length >= MAX_OF_CALLER) inBackground(own.find(isUnused)?.close());
    this.#connections.set(id, connection);
  }

  /** Whether the caller has all the connections that it may have, with a running call on each. */
  #isFull(caller: string): boolean {
    const own = this.#ofCaller(caller);
    return own.length >= MAX_OF_CALLER && !own.some(isUnused);
  }

  #ofCaller(caller: string): readonly LegacyConnection[] {
    return [...this.#connections.values()].filter((connection) => connection.caller === caller);
  }
}

const isUnused = ({ calls }: LegacyConnection): boolean => !calls.areRunning;

const TOO_MANY = (): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_000,
        message: `This caller has ${MAX_OF_CALLER} connections with running calls. Try again when a call has ended.`,
      },
    },
    { status: 429 },
  );

/** The same for a connection that never existed, has ended or belongs to another caller. */
const UNKNOWN = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
    { status: 404 },
  );
