import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { invokeTool } from '../../src/calls/invoke-tool.ts';
import { openApiTools } from '../../src/openapi/openapi-tools.ts';
import type { OpenApiToolsOptions } from '../../src/openapi/options.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';

/** A document with these paths. */
export function documentOf(paths: object, more: object = {}): object {
  return { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, ...more };
}

/** The tools of a document, without the name of their source. */
export function toolsOf(
  document: object,
  more: Partial<OpenApiToolsOptions> = {},
): readonly Tool<unknown>[] {
  const baseUrl = 'http://127.0.0.1:1';
  return [...openApiTools({ name: 'api', document, baseUrl, ...more }).tools()] as Tool<unknown>[];
}

/** A function that calls tools as a program would. It returns the result or the failure. */
export function callerOf(
  options: Omit<OpenApiToolsOptions, 'name'>,
): (tool: string, input?: object, signal?: AbortSignal) => Promise<unknown> {
  const registry = new ToolRegistry();
  registry.addSource(openApiTools({ name: 'api', ...options }));
  return async (tool, input = {}, signal = new AbortController().signal) => {
    const outcome = await invokeTool(registry, {
      toolName: `api:${tool}`,
      arguments: input,
      callId: '1',
      caller: 'code',
      counter: programCounter(),
      origin: callOrigin(),
      signal,
    });
    return outcome.ok ? (JSON.parse(outcome.result.text) as unknown) : outcome.failure;
  };
}

/** A request as a server got it. */
export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server until the test is over. Returns its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers with what it got, and keeps it. */
export async function serveEcho(): Promise<{ baseUrl: string; received: Received[] }> {
  const received: Received[] = [];
  const baseUrl = await serve((request, response) => {
    const { method, url, headers } = request;
    const answer = async (): Promise<void> => {
      const one = { method, url, headers, body: await text(request) };
      received.push(one);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(one));
    };
    answer().catch((error: unknown) => response.destroy(error as Error));
  });
  return { baseUrl, received };
}
