import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { inBackground } from '../../shared/async/background.ts';
import { createDeferred } from '../../shared/async/deferred.ts';
import type { OptionsObject } from '../../shared/options/option-names.ts';
import { CallerCalls } from './calls/caller-calls.ts';
import { Calls, type Era } from './calls/calls.ts';
import { singleSession } from './sessions/code-sessions.ts';
import { loadServer } from './load-server.ts';
import { announceTo, protocolServer } from './protocol-server.ts';
import type { Served } from './served.ts';
import { announceChanges } from './tools/tool-changes.ts';

/** Options of `McpCodeServer.stdio`. */
export interface McpStdioOptions {
  /** @default the standard input of this process */
  readonly input?: Readable;
  /** Gets the protocol and nothing else. @default the standard output of this process */
  readonly output?: Writable;
}

export const MCP_STDIO: OptionsObject<McpStdioOptions> = {
  of: 'stdio',
  names: { input: 'object', output: 'object' },
  page: 'docs/mcp-server.md',
  otherWords: { stdin: 'input', stdout: 'output' },
};

/** A connection with a client, which ends when the client leaves or by `close`. */
export interface StdioConnection {
  /** Resolves when its programs and its session have ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves a client over two streams. All its programs share a session. */
export async function connectStdio(
  served: Served,
  { input = process.stdin, output = process.stdout }: McpStdioOptions,
): Promise<StdioConnection> {
  const [sdk, { serveStdio, StdioServerTransport }] = await Promise.all([
    loadServer('server', async () => import('@modelcontextprotocol/server')),
    loadServer('server', async () => import('@modelcontextprotocol/server/stdio')),
  ]);
  const codeTool = served.newCodeTool();
  const sessions = singleSession(codeTool);
  const calls = new Calls(sdk, { ...served, codeTool }, sessions, new CallerCalls());
  const transport = new StdioServerTransport(input, output);
  const left = createDeferred<undefined>();
  let server: McpServer | undefined;
  const makeServer = ({ era }: { readonly era: Era }): McpServer => {
    server = protocolServer(sdk, served, calls, era);
    return server;
  };
  const handle = serveStdio(makeServer, { transport });
  const endAnnouncing = announceChanges(served.tools, () => server && announceTo(server));
  // The transport itself notices only errors of its output.
  const onOutputClosed = (): void => inBackground(transport.close());
  output.once('close', onOutputClosed);
  const { onclose } = transport;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  transport.onclose = () => {
    onclose?.();
    output.off('close', onOutputClosed);
    endAnnouncing();
    left.resolve(undefined);
  };
  if (output.destroyed) onOutputClosed();
  const ended = left.promise.then(async () => calls.close());
  return {
    ended,
    close: async () => {
      // It tells the client what ends, and would wait for ever for one that does not read.
      inBackground(handle.close());
      await nextTurn();
      await server?.close();
      await transport.close();
      await ended;
    },
  };
}
