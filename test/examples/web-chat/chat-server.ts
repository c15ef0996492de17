import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { onTestFinished } from 'vitest';
import {
  startOfflineModel,
  type OfflineModel,
  type OfflineRequest,
} from '../../support/offline-server.ts';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { startNode, type StartedProcess } from '../../support/built-package.ts';
import { RUN_BUNDLED } from '../../support/typescript-process.ts';

/** What its programs run in unless the test says otherwise: bubblewrap if it works here, else whatever does. */
const PROVIDER = (await bubblewrapProvider().probe()).usable ? 'bubblewrap' : 'auto';

/** A model that runs a message that is a program, and then says what came of it. */
export interface ScriptedService extends OfflineModel {
  readonly requests: readonly OfflineRequest[];
}

/** Messages that begin so are programs. */
export const RUN = 'run:';

export async function startService(): Promise<ScriptedService> {
  const requests: OfflineRequest[] = [];
  const server = await startOfflineModel((request) => {
    requests.push(request);
    const last = lastBlock(request);
    const { text } = last;
    if (typeof text === 'string' && text.startsWith(RUN)) {
      const input = { code: text.slice(RUN.length) };
      const id = `toolu_${requests.length}`;
      const content = [{ type: 'tool_use', id, name: 'execute_code', input }] as const;
      return { content, stopReason: 'tool_use' };
    }
    const said =
      last.type === 'tool_result' ? JSON.stringify(last['content']) : `You said: ${String(text)}`;
    return { content: [{ type: 'text', text: said }], stopReason: 'end_turn' };
  });
  onTestFinished(() => server.close());
  return { ...server, requests };
}

function lastBlock({ messages }: OfflineRequest): { type: string; [field: string]: unknown } {
  const content = messages.at(-1)?.content ?? '';
  if (typeof content === 'string') return { type: 'text', text: content };
  return content.at(-1) ?? { type: 'none' };
}

/** The service that a tool of the shop asks. It never answers. */
export interface Supplier {
  readonly address: string;
  /** Resolves with the first question. */
  readonly asked: Promise<string>;
  /** Resolves when who asked has gone away. */
  readonly clientGone: Promise<void>;
}

export async function startSupplier(): Promise<Supplier> {
  const asked = createDeferred<string>();
  const gone = createDeferred<void>();
  const server = createServer((request, response) => {
    asked.resolve(request.url ?? '');
    response.once('close', () => gone.resolve());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as { port: number };
  const address = `http://127.0.0.1:${port}`;
  return { address, asked: asked.promise, clientGone: gone.promise };
}

export interface ChatServer {
  readonly address: string;
  readonly process: StartedProcess;
}

/** Starts the example as a process. @param environment - Variables over those that a test needs. */
export async function startChat(
  database: string,
  service: ScriptedService,
  environment: Readonly<Record<string, string>> = {},
): Promise<ChatServer> {
  const started = startNode([RUN_BUNDLED, path.resolve('examples/web-chat/server.mjs')], {
    env: {
      PORT: '0',
      DATABASE: database,
      PROVIDER,
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: service.baseUrl,
      // Tests ask again and again until something has happened.
      MESSAGES_PER_MINUTE: '100000',
      ...environment,
    },
  });
  onTestFinished(async () => {
    started.child.kill('SIGTERM');
    await started.finished();
  });
  await started.printed(/^Open \S+/m);
  const [, address = ''] = /^Open (\S+)/m.exec(started.stdout) ?? [];
  return { address, process: started };
}

/** The path of a database for one test. */
export async function newDatabase(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'ptc-web-chat-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, 'chat.db');
}

/** What was ordered, by whom, as it is in the file. */
export function ordersIn(database: string): unknown[] {
  const connection = new Database(database);
  const rows = connection.prepare('SELECT user, product, quantity FROM orders').all();
  connection.close();
  return rows;
}
