import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { inBackground } from '../../../shared/async/background.ts';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { CallerCalls, MAX_OF_CALLER } from '../calls/caller-calls.ts';
import { Calls } from '../calls/calls.ts';
import { loadServer } from '../load-server.ts';
import { NamedSessions } from '../sessions/named-sessions.ts';
import { protocolServer } from '../protocol-server.ts';
import type { Served } from '../served.ts';
import { announceChanges } from '../tools/tool-changes.ts';
import { accessOf, admit, hostInUrl, type Access, type McpListenOptions } from './access.ts';
import { LegacyConnections } from './legacy-connections.ts';

/** A server that listens for HTTP requests. */
export interface McpListener extends AsyncDisposable {
  /** Such as `http://127.0.0.1:8000/mcp`. */
  readonly url: string;
  /** Stops listening, and ends the programs and sessions of its clients. */
  close(): Promise<void>;
}

const PATH = '/mcp';

/** Longest body of a request, in bytes. */
const MAX_BODY_BYTES = 4 * 2 ** 20;

/** Each of its connections can have a stream, and each of its calls too. There is room for short requests. */
const MAX_REQUESTS_OF_CALLER = 4 * MAX_OF_CALLER;

type Handler = (request: IncomingMessage & { auth: AuthInfo }, response: ServerResponse) => void;

/** Serves clients by Streamable HTTP. */
export async function listenHttp(served: Served, options: McpListenOptions): Promise<McpListener> {
  const access = accessOf(options);
  const { handle, close } = await handlerOf(served);
  const requests = new CallerCalls(MAX_REQUESTS_OF_CALLER);
  const server = createServer((request, response) => {
    const admission = admitAtPath(request, access);
    if ('status' in admission) {
      refuse(response, admission.status, admission.message);
      return;
    }
    const { caller } = admission;
    if (!requests.hasRoom(caller)) {
      refuse(response, 429, TOO_MANY_REQUESTS);
      return;
    }
    response.once('close', requests.begin(caller));
    const auth: AuthInfo = { token: '', clientId: caller, scopes: [] };
    handle(Object.assign(request, { auth }), response);
  });
  const { port, host = '127.0.0.1' } = options;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    await close();
    const message = `The port ${port} of ${host} cannot be listened on: ${messageOf(cause)}. Choose another one.`;
    throw new PtcError('OPTION_INVALID', message, { cause, details: { option: 'port' } });
  }
  // The system may refuse a connection, for example because the process has too many files open.
  server.on('error', served.onHostError);
  const end = async (): Promise<void> => {
    const ended = server.listening ? once(server, 'close') : undefined;
    server.close();
    await close();
    server.closeAllConnections();
    await ended;
  };
  const address = server.address() as AddressInfo;
  return {
    url: `http://${hostInUrl(host)}:${address.port}${PATH}`,
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

async function handlerOf(served: Served): Promise<{ handle: Handler; close: () => Promise<void> }> {
  const [sdk, { toNodeHandler }] = await Promise.all([
    loadServer('server', async () => import('@modelcontextprotocol/server')),
    loadServer('node', async () => import('@modelcontextprotocol/node')),
  ]);
  const shared = { sessions: new NamedSessions(served.newCodeTool), callers: new CallerCalls() };
  const calls = new Calls(sdk, served, shared.sessions, shared.callers);
  const maxRequestBodySize = MAX_BODY_BYTES;
  const modern = sdk.createMcpHandler(() => protocolServer(sdk, served, calls, 'modern'), {
    legacy: 'reject',
    maxRequestBodySize,
  });
  const legacy = new LegacyConnections(sdk, served, shared);
  const endAnnouncing = announceChanges(served.tools, () => {
    modern.notify.toolsChanged();
    legacy.announce();
  });
  const handle = toNodeHandler(
    {
      fetch: async (request, options) => {
        const authInfo = options?.authInfo;
        return authInfo !== undefined && (await sdk.isLegacyRequest(request))
          ? legacy.fetch(request, authInfo)
          : modern.fetch(request, options);
      },
    },
    { maxRequestBodySize },
  );
  return {
    handle: (request, response) => inBackground(handle(request as never, response)),
    close: async () => {
      endAnnouncing();
      await Promise.all([modern.close(), legacy.close(), calls.close()]);
    },
  };
}

const TOO_MANY_REQUESTS = `This caller has ${MAX_REQUESTS_OF_CALLER} requests and streams that have not ended. Try again when one of them has ended.`;

function admitAtPath(
  { headers, url = '' }: IncomingMessage,
  access: Access,
): { readonly caller: string } | { readonly status: number; readonly message: string } {
  const admission = admit(headers, access);
  if ('status' in admission || url.split('?')[0] === PATH) return admission;
  return { status: 404, message: `The server is at ${PATH}.` };
}

/** The body of the request is not read, so its connection cannot be used again. */
function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  response.end(JSON.stringify(error));
}
