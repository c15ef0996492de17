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
  /** Tells the clients that the tools have changed, after the factory makes other ones. */
  readonly announceTools: () => void;
}

/** Each serves by Streamable HTTP what a factory makes, in one era of the protocol. */
export const ERAS = {
  /** A server for each request. */
  '2026-07-28': async (make: () => McpServer): Promise<StartedServer> => {
    const handler = createMcpHandler(make, { legacy: 'reject' });
    onTestFinished(async () => handler.close());
    const handle = toNodeHandler(handler);
    const url = await listen((request, response) => handle(request as never, response));
    return { url, announceTools: () => handler.notify.toolsChanged() };
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
    const url = await listen(async (request, response) => {
      const known = sessions.get(String(request.headers['mcp-session-id']));
      await (known ?? (await open())).handleRequest(request, response);
    });
    return {
      url,
      announceTools: () => {
        for (const server of servers) server.sendToolListChanged();
      },
    };
  },
} as const;

export const ERA_NAMES = Object.keys(ERAS) as readonly (keyof typeof ERAS)[];

async function listen(handle: Handle): Promise<string> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => server.emit('error', error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
