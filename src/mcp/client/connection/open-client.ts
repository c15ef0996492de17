import { setTimeout as delay } from 'node:timers/promises';
import type * as Sdk from '@modelcontextprotocol/client';
import type { AuthProvider, Client, OAuthClientProvider } from '@modelcontextprotocol/client';
import { inBackground } from '../../../shared/async/background.ts';
import { onAbort } from '../../../shared/async/on-abort.ts';
import { given } from '../../../shared/given.ts';
import { clientCredentials } from '../auth/client-credentials.ts';
import { guardedProvider } from '../auth/guarded-provider.ts';
import { isScopedProvider, tellingOfScope } from '../auth/missing-scope.ts';
import { failWithStreams } from './answer-streams.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { callsOf, plainCallsOf, type CallTool } from './call-tool.ts';
import { keepListening, RECONNECTION, watchStream } from './change-streams.ts';
import { DirectCalls } from './direct-calls.ts';
import { limitAnswers } from './limit-answers.ts';
import { loadClient, ownName } from '../load-client.ts';
import type { McpClient } from '../mcp-client.ts';
import { urlOf, type McpServer } from '../mcp-server.ts';
import { Reconnections } from './reconnections.ts';
import { ServerProcess } from './server-process.ts';
import { withServerHeaders } from './server-headers.ts';
import type { ServerRequests } from '../requests/server-requests.ts';

/** The longest message of a server that is read, in bytes. */
const MAXIMUM_MESSAGE = 10 * 2 ** 20;

/** How many answers may be on their way to a server: by HTTP each has a socket, otherwise all are in one pipe. */
const MAXIMUM_POSTS = 100;
const MAXIMUM_LINES = 10_000;

/** How long a server may take to answer when it is connected, in milliseconds. */
const CONNECT_TIMEOUT_MS = 30_000;

/** How long a server may take to answer when its client leaves, in milliseconds. */
const LEAVE_TIMEOUT_MS = 1000;

/** A connection to a server. */
export interface OpenClient {
  readonly client: McpClient;
  readonly callTool: CallTool;
  /** Whether it sends arguments in headers, too, for which the schema of the tool names some. */
  readonly sendsHeaders: boolean;
  /** Ends the connection, and the process of the server if it was started here. Never rejects. */
  close(): Promise<void>;
}

/** What a connection tells. */
export interface ClientEvents {
  /** It has ended, and not by `close`. */
  readonly onLost: () => void;
  /** The server says that its tools have changed. */
  readonly onToolsChanged: () => void;
}

/** Connects to a server, in the newest revision of the protocol that both know. */
export async function openClient(
  server: McpServer,
  requests: ServerRequests,
  events: ClientEvents,
  signal: AbortSignal,
): Promise<OpenClient> {
  if ('client' in server) {
    const { client } = server;
    const close = (): Promise<void> => Promise.resolve();
    return { client, callTool: callsOf(client), sendsHeaders: false, close };
  }
  const sdk = await loadClient(async () => import('@modelcontextprotocol/client'));
  const { Client, SdkError, SdkErrorCode, specTypeSchemas } = sdk;
  const client = new Client(ownName(), {
    versionNegotiation: { mode: 'auto' },
    capabilities: requests.capabilities,
    listChanged: {
      tools: { autoRefresh: false, debounceMs: 0, onChanged: () => events.onToolsChanged() },
    },
  });
  requests.serve(client);
  const { transport, end } = await transportOf(server, sdk, events, signal);
  if ('url' in server) {
    const text = 'The stream of an answer ended without the answer';
    failWithStreams(transport, () => new SdkError(SdkErrorCode.ConnectionClosed, text));
  }
  limitAnswers(transport, 'url' in server ? MAXIMUM_POSTS : MAXIMUM_LINES);
  await connect(client, transport, signal);
  const isModern = client.getProtocolEra() === 'modern';
  const sendsHeaders = 'url' in server && isModern;
  const direct =
    'command' in server && !isModern ? new DirectCalls(transport, specTypeSchemas) : undefined;
  const others = sendsHeaders ? callsOf(client) : plainCallsOf(client, specTypeSchemas);
  let isClosed = false;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  client.onclose = () => {
    direct?.end(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
    if (!isClosed) events.onLost();
  };
  if (sendsHeaders) inBackground(keepListening(client, events));
  return {
    client,
    callTool: direct?.call ?? others,
    sendsHeaders,
    close: async () => {
      isClosed = true;
      const hasLeft = new AbortController();
      const tooLong = delay(LEAVE_TIMEOUT_MS, undefined, { signal: hasLeft.signal });
      // A server that does not answer has no more to release. `client.close` ends the request.
      await Promise.race([end(), tooLong]).catch(() => {});
      hasLeft.abort();
      await tooLong.catch(() => {});
      await client.close().catch(() => {});
      // The client does not close one that has ended by itself, of which processes may be left.
      await transport.close().catch(() => {});
    },
  };
}

type Transport = Parameters<Client['connect']>[0];

/**
 * Connects a client. Otherwise, the process of the server has ended when this rejects: the client
 * does not listen to the signal while it finds out the revision, and does not wait for a process that
 * it gives up.
 */
async function connect(client: Client, transport: Transport, signal: AbortSignal): Promise<void> {
  const stopListening = onAbort(signal, () => inBackground(transport.close()));
  try {
    signal.throwIfAborted();
    await client.connect(transport, { signal, timeout: CONNECT_TIMEOUT_MS });
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    stopListening();
  }
}

interface OpenTransport {
  readonly transport: Transport;
  /** Tells the server that its client leaves, if it keeps a session for it. */
  readonly end: () => Promise<void>;
}

async function transportOf(
  server: Exclude<McpServer, { client: McpClient }>,
  sdk: typeof Sdk,
  events: ClientEvents,
  signal: AbortSignal,
): Promise<OpenTransport> {
  if ('command' in server) {
    const { getDefaultEnvironment, StdioClientTransport } = await loadClient(
      async () => import('@modelcontextprotocol/client/stdio'),
    );
    const { command, args = [], cwd } = server;
    const env = { ...getDefaultEnvironment(), ...server.env };
    const transport =
      process.platform === 'win32'
        ? // Windows has no process groups, and scripts such as `npx` are started in another way there.
          new StdioClientTransport({
            command,
            args: [...args],
            env,
            ...given({ cwd }),
            stderr: 'ignore',
            maxBufferSize: MAXIMUM_MESSAGE,
          })
        : new ServerProcess({ command, args, env, cwd, maximumMessage: MAXIMUM_MESSAGE, sdk });
    return { transport, end: () => Promise.resolve() };
  }
  const { auth } = server;
  const provider =
    auth && ('provider' in auth ? guardedProvider(auth.provider, server) : clientCredentials(auth));
  const url = urlOf(server.url);
  const plain = withServerHeaders(boundedFetch(MAXIMUM_MESSAGE, signal), url, server.headers ?? {});
  const reconnections = new Reconnections();
  const transport = new sdk.StreamableHTTPClientTransport(url, {
    fetch: watchStream(
      provider && isScopedProvider(provider) ? tellingOfScope(plain, url, provider) : plain,
      url,
      events,
    ),
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler: reconnections.schedule,
    // The interfaces of this package are the required parts of those of the client.
    ...(provider && { authProvider: provider as AuthProvider | OAuthClientProvider }),
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    reconnections.end();
    await close();
  };
  return { transport, end: async () => transport.terminateSession() };
}
