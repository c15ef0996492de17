import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { server: string; 'certificate-authority-data': string } },
  ];
  readonly users: readonly [
    {
      readonly name: string;
      readonly user: { 'client-certificate-data': string; 'client-key-data': string };
    },
  ];
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The parts of a pod that the tests look at. */
export interface Pod {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string };
}

/** Requests to an API server as the user of a kubeconfig. */
export class ClusterApi {
  /** Its address. */
  readonly server: string;
  readonly #agent: Agent;

  /** @param kubeconfig - A file with certificates in it. */
  constructor(kubeconfig: string) {
    const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    const { cluster } = clusters[0];
    const { user } = users[0];
    this.server = cluster.server;
    this.#agent = new Agent({
      // On a new connection, a request takes six times the processor time.
      keepAlive: true,
      ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
      cert: Buffer.from(user['client-certificate-data'], 'base64'),
      key: Buffer.from(user['client-key-data'], 'base64'),
    });
  }

  /** A PATCH is a merge patch (RFC 7386). */
  async request(method: string, path: string, body?: unknown): Promise<Answer> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const sent = request(this.server + path, {
      method,
      agent: this.#agent,
      headers: { 'content-type': type },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  }

  /** @throws what the server says, if it refuses. */
  async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }
}
