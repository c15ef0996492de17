import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { onTestFinished, vi } from 'vitest';
import { Cluster } from '../../../../src/providers/kubernetes/cluster/cluster.ts';

// Of a server that only tests use.
export const TLS: { readonly key: Buffer; readonly cert: Buffer } = {
  key: readFileSync(new URL('./tls/key.pem', import.meta.url)),
  cert: readFileSync(new URL('./tls/certificate.pem', import.meta.url)),
};

/** What a test has the server do with a request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What the server got, and how to use it. */
export interface ScriptedServer {
  /** The methods and paths of requests, in their order. */
  readonly requests: readonly string[];
  readonly cluster: Cluster;
}

export interface Script {
  /** The answers, one after another. The last one is for all that follow. */
  readonly answers?: readonly Answer[];
  /** For requests to change to another protocol. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** Starts a server that does what no API server does on demand. It ends with the test. */
export async function scriptedServer({ answers = [], onUpgrade }: Script): Promise<ScriptedServer> {
  const requests: string[] = [];
  const onRequest: Answer = (request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => answer?.(request, response));
  };
  return { requests, cluster: await clusterServedBy(onRequest, onUpgrade) };
}

/** The cluster of a server that ends with the test. */
export async function clusterServedBy(
  onRequest: Answer,
  onUpgrade?: Script['onUpgrade'],
): Promise<Cluster> {
  const server = createServer(TLS, onRequest);
  if (onUpgrade !== undefined) server.on('upgrade', onUpgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cluster = await clusterAt(`https://127.0.0.1:${port}`, TLS.cert);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return cluster;
}

/** The cluster of a kubeconfig that trusts this authority. @param own - More fields of its cluster. */
export async function clusterAt(
  server: string,
  authority: Buffer,
  own: object = {},
): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), 'ptc-kubeconfig-'));
  const file = join(directory, 'config');
  const trusted = authority.toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server, 'certificate-authority-data': trusted, ...own } }],
    users: [{ name: 'a', user: { token: 'a token' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  };
  writeFileSync(file, JSON.stringify(config));
  vi.stubEnv('KUBECONFIG', file);
  const cluster = await Cluster.find({});
  onTestFinished(() => {
    cluster.close();
    rmSync(directory, { recursive: true });
    vi.unstubAllEnvs();
  });
  return cluster;
}

/** Answers with an object. */
export function object(value: object, statusCode = 200): Answer {
  return (_request, response) => {
    response.writeHead(statusCode, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
}

/** Refuses as the API server does. */
export function refusal(
  code: number,
  reason: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (_request, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ kind: 'Status', code, reason, message }));
  };
}

/** Refuses with a text, as proxies do, and the API server if it has too many requests. */
export function textRefusal(code: number, message: string): Answer {
  return (_request, response) => {
    response.writeHead(code, { 'content-type': 'text/plain' });
    response.end(message);
  };
}

/** Closes the connection instead of an answer. */
export const closing: Answer = (request) => void request.socket.destroy();
