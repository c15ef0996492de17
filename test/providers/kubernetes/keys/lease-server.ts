import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { inBackground } from '../../../../src/shared/async/background.ts';
import type { Cluster } from '../../../../src/providers/kubernetes/cluster/cluster.ts';
import type { LeaseTimes } from '../../../../src/providers/kubernetes/keys/host-lease.ts';
import { LeaseKeys } from '../../../../src/providers/kubernetes/keys/lease-keys.ts';
import { clusterServedBy, object, refusal } from '../cluster/scripted-server.ts';
import { type Lease, LeaseStore } from './lease-store.ts';

const NAMESPACE = 'agents';
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

/** A request for a Lease. */
export interface LeaseRequest {
  readonly method: string;
  /** Of the Lease. */
  readonly name: string;
  readonly body: unknown;
}

/** A request for something else. */
export interface OtherRequest extends Omit<LeaseRequest, 'name'> {
  readonly path: string;
  readonly query: string;
}

/** What a test has the server do with a request for a Lease, instead of what it would do: see `done`. */
export type Meddle = (
  request: LeaseRequest,
  response: ServerResponse,
  /** Does what was asked, and gives no answer. */
  done: () => void,
) => boolean | Promise<boolean>;

/** A server that has Leases in memory, and removes none by itself. */
export class LeaseServer {
  readonly store: LeaseStore = new LeaseStore();
  /** What was asked for single Leases. */
  readonly requests: LeaseRequest[] = [];
  /** The queries of watches, in their order. */
  readonly watches: string[] = [];
  /** Whether it says on no watch what happens, as if the connection was cut in silence. */
  isSilent = false;
  /** Whether it gives no answer to a watch. */
  isDeaf = false;
  /** How often all Leases were asked for. */
  lists = 0;
  /** The names of Leases that were just renewed whenever they are listed, however busy the machine is. */
  readonly living: Set<string> = new Set();
  /** Whether it refuses to list Leases. */
  isBusy = false;
  /** Those that are open. */
  readonly #watching: Set<ServerResponse> = new Set();
  /** Returns whether it has answered, or never will. */
  meddle: Meddle = () => false;
  /** Answers what is asked for other objects. @default not at all */
  answerOthers: (request: OtherRequest, response: ServerResponse) => void = () => undefined;
  #cluster: Cluster | undefined;

  /** Starts a server. It ends with the test. */
  static async start(): Promise<LeaseServer> {
    const leases = new LeaseServer();
    leases.#cluster = await clusterServedBy((request, response) => {
      const { method = '', url = '' } = request;
      inBackground(text(request).then(async (sent) => leases.#answer(method, url, sent, response)));
    });
    return leases;
  }

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('The server was not started.');
    return this.#cluster;
  }

  /** The keys of a new host. They are closed with the test. */
  keys(times: LeaseTimes): LeaseKeys {
    const keys = new LeaseKeys(this.cluster, NAMESPACE, times);
    onTestFinished(async () => keys.close());
    return keys;
  }

  /** Says something on all watches. */
  say(type: string, value: unknown): void {
    for (const response of this.#watching) {
      response.write(`${JSON.stringify({ type, object: value })}\n`);
    }
  }

  /** The names of the Leases of keys, or of hosts. */
  names(kind: 'host' | 'key'): readonly string[] {
    return this.store.names.filter((name) => name.startsWith(`sandboxed-ptc-${kind}-`));
  }

  async #answer(
    method: string,
    url: string,
    sent: string,
    response: ServerResponse,
  ): Promise<void> {
    const [path = '', query = ''] = url.split('?');
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    if (!path.startsWith(PATH)) return this.answerOthers({ method, path, query, body }, response);
    if (method === 'GET' && path === PATH) return this.#list(query, response);
    const made = method === 'POST' ? (body as Lease).metadata.name : undefined;
    const request = { method, name: made ?? path.slice(PATH.length + 1), body };
    this.requests.push(request);
    const done = (): ReturnType<LeaseStore['do']> => this.store.do(request);
    if (await this.meddle(request, response, done)) return;
    const outcome = done();
    if (typeof outcome === 'string') {
      refusal(STATUSES[outcome], outcome, outcome)(response.req, response);
    } else {
      object(outcome)(response.req, response);
    }
  }

  #list(query: string, response: ServerResponse): void {
    const selectors = new URLSearchParams(query);
    const label = selectors.get('labelSelector');
    const name = selectors.get('fieldSelector')?.replace('metadata.name=', '');
    const isMeant = ({ metadata }: Lease): boolean =>
      label === null ? metadata.name === name : label in (metadata.labels ?? {});
    if (!query.includes('watch=1')) {
      this.lists += 1;
      if (this.isBusy) {
        refusal(503, 'ServiceUnavailable', 'not ready')(response.req, response);
        return;
      }
      for (const living of this.living) this.store.do({ method: 'PATCH', name: living, body: [] });
      const metadata = { resourceVersion: String(this.store.version) };
      object({ items: this.store.all.filter(isMeant), metadata })(response.req, response);
      return;
    }
    this.watches.push(query);
    if (this.isDeaf) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#watching.add(response);
    const stop = this.store.listen((type, lease) => {
      if (isMeant(lease) && !this.isSilent)
        response.write(`${JSON.stringify({ type, object: lease })}\n`);
    });
    response.once('close', () => {
      stop();
      this.#watching.delete(response);
    });
  }
}

const STATUSES = { AlreadyExists: 409, Conflict: 409, Invalid: 422, NotFound: 404 } as const;
