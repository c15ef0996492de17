import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A server that listens until the test is over. */
export interface StartedServer {
  readonly url: string;
  /** Changes what the server has, for clients that are connected. */
  readonly change: (edit: (server: McpServer) => void) => void;
  /** Tells the clients that listen that the tools have changed. */
  readonly announceTools: () => void;
  /** Ends all connections, as a server that starts again. */
  readonly cut: () => void;
}

/** Each serves by Streamable HTTP what a factory makes, in one era of the protocol. */
export const ERAS = {
  /** A server for each request. */
  '2026-07-28': async (make: () => McpServer): Promise<StartedServer> => {
    const edits: ((server: McpServer) => void)[] = [];
    const makeChanged = (): McpServer => {
      const server = make();
      for (const edit of edits) edit(server);
      return server;
    };
    const handler = createMcpHandler(makeChanged, { legacy: 'reject' });
    onTestFinished(async () => handler.close());
    const handle = toNodeHandler(handler);
    const listening = await listen((request, response) => handle(request as never, response));
    return {
      ...listening,
      change: (edit) => void edits.push(edit),
      announceTools: () => handler.notify.toolsChanged(),
    };
  },
  /** A server for each session. */
  '2025-11-25': async (make: () => McpServer): Promise<StartedServer> => {
    const servers = new Set<McpServer>();
    const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
    const open = async (): Promise<NodeStreamableHTTPServerTransport> => {
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      const server = make();
      servers.add(server);
      await server.connect(transport);
      return transport;
    };
    const listening = await listen(async (request, response) => {
      const known = sessions.get(String(request.headers['mcp-session-id']));
      await (known ?? (await open())).handleRequest(request, response);
    });
    return {
      ...listening,
      change: (edit) => {
        for (const server of servers) edit(server);
      },
      announceTools: () => {
        for (const server of servers) server.sendToolListChanged();
      },
    };
  },
} as const;

export const ERA_NAMES = Object.keys(ERAS) as readonly (keyof typeof ERAS)[];

async function listen(handle: Handle): Promise<Pick<StartedServer, 'url' | 'cut'>> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => server.emit('error', error));
  });
  // Otherwise it closes a connection that is idle for some seconds, also if only this process was busy.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, cut: () => server.closeAllConnections() };
}
