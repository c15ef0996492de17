import { readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { unlessAborted } from '../../../shared/async/abort.ts';
import { AnySignal } from '../../../shared/async/any-signal.ts';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { ApiError } from './api-error.ts';
import { Credentials, isUnknown } from './credentials.ts';
import { isInPod, SERVICE_ACCOUNT } from './in-pod.ts';
import { retryAfterMs } from './too-many-requests.ts';

/** Which cluster is used, and as whom. */
export interface ClusterOptions {
  /**
   * A context of the kubeconfig.
   * @default the current one
   */
  readonly context?: string | undefined;
  /** Whether to use only the service account of this pod, and no kubeconfig. @default false */
  readonly onlyAsPod?: boolean | undefined;
}

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
  /** With the query. */
  readonly path: string;
  /** An object, which is sent as JSON. */
  readonly body?: unknown;
  /** Which part of the objects is wanted. @default all */
  readonly as?: PartialKind | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether it may arrive twice. It is then sent again if its connection, which was kept from an
   * earlier request, was closed at the same moment.
   * @default for `GET`
   */
  readonly repeatable?: boolean | undefined;
  /** Whether it must not wait until other requests are answered. @default false */
  readonly urgent?: boolean | undefined;
}

/** Kinds of the API server that have only the metadata of objects. */
export type PartialKind = 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** What the API server has answered. */
export interface DatedAnswer {
  readonly object: unknown;
  /** When, by its own clock. Not a number if it does not say it. */
  readonly atMs: number;
}

/** The API server answers at once, or it is not there. */
const ANSWER_MS = 30_000;
const MOST_CONNECTIONS = 64;
/** How often a request is sent that the API server is too busy for. */
const MOST_ATTEMPTS = 5;
/** What Node says of a connection that the other side has closed. */
const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** The API server of a cluster. */
export class Cluster {
  /** Such as `https://10.0.0.1:6443`, without a slash at the end. */
  readonly server: string;
  /** Where this process works unless it is told otherwise. */
  readonly namespace: string;
  readonly credentials: Credentials;
  /** Whether the kubeconfig has a proxy for it. The agents that come with credentials then use that one. */
  readonly #isBehindProxy: boolean;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS });
  /** Few requests are urgent, so these connections are few. */
  readonly #urgent = new Agent({ keepAlive: true });
  /** Of watches, each of which keeps a connection, and of requests that need a new one. */
  readonly #single = new Agent();

  private constructor(config: KubeConfig, server: string, load: () => KubeConfig) {
    this.credentials = new Credentials(config, load);
    this.server = server.replace(/\/$/, '');
    this.namespace = ownNamespace(config);
    this.#isBehindProxy = config.getCurrentCluster()?.proxyUrl !== undefined;
  }

  /**
   * Reads the kubeconfig, or what a pod gets from its service account.
   * @throws PtcError `SANDBOX_UNAVAILABLE`
   */
  static async find({ context, onlyAsPod = false }: ClusterOptions): Promise<Cluster> {
    if (onlyAsPod && !isInPod()) throw unusable('This process is not in a pod of a cluster');
    const { KubeConfig: Config } = await loadClient();
    const load = (): KubeConfig => {
      const config = new Config();
      if (onlyAsPod) config.loadFromCluster();
      else config.loadFromDefault();
      return config;
    };
    const config = loadOrThrow(load);
    if (isMissing(config)) {
      throw unusable(
        'No kubeconfig was found, and this process does not run in a pod of a cluster',
      );
    }
    if (context !== undefined) {
      if (config.getContextObject(context) === null) {
        const names = config.getContexts().map(({ name }) => name);
        throw unusable(
          `The kubeconfig has no context ${JSON.stringify(context)}, but ${names.join(', ') || 'none'}`,
        );
      }
      config.setCurrentContext(context);
    }
    const server = config.getCurrentCluster()?.server;
    if (server === undefined) throw unusable('The kubeconfig has no current context');
    if (!/^https:\/\//i.test(server)) {
      throw unusable(`The kubeconfig has the address ${server}, which must begin with https://`);
    }
    return new Cluster(config, server, load);
  }

  /**
   * Sends a request, and returns the object of the answer.
   * @throws ApiError if the API server refuses, PtcError `SANDBOX_UNAVAILABLE` if it does not
   * answer, or the signal's reason.
   */
  async send(asked: ApiRequest): Promise<unknown> {
    return (await this.sendDated(asked)).object;
  }

  /** As `send`, with the time of the answer. */
  async sendDated(asked: ApiRequest): Promise<DatedAnswer> {
    const { method, path, signal, urgent = false } = asked;
    using within = new AnySignal(signal, AbortSignal.timeout(ANSWER_MS));
    const agent = urgent ? this.#urgent : this.#agent;
    const { status, text, date } = await this.#request({ ...asked, signal: within.signal }, agent)
      .then(async (response) => {
        const bytes = await buffer(response);
        const { statusCode = 0, headers } = response;
        return { status: statusCode, text: bytes.toString(), date: headers.date };
      })
      .catch((cause: unknown) => {
        signal?.throwIfAborted();
        const why: unknown = within.signal.aborted ? within.signal.reason : cause;
        throw unusable(`The API server at ${this.server} does not answer`, why);
      });
    if (status >= 300) throw new ApiError(`${method} ${path}`, status, text);
    return { object: JSON.parse(text), atMs: Date.parse(date ?? '') };
  }

  /**
   * Sends a request for changes, and returns the answer, whose body goes on until the signal fires
   * or the API server ends it.
   * @throws ApiError if the API server refuses, and other errors if it does not answer.
   */
  async watch(path: string, signal: AbortSignal, as?: PartialKind): Promise<IncomingMessage> {
    const response = await this.#request({ method: 'GET', path, as, signal }, this.#single);
    const status = response.statusCode ?? 0;
    if (status >= 300) throw new ApiError(`GET ${path}`, status, String(await buffer(response)));
    return response;
  }

  /** Ends with the signal. Node tells a request that waits for a connection only when it gets one. */
  async #request(asked: ApiRequest, agent: Agent): Promise<IncomingMessage> {
    return unlessAborted(this.#answer(asked, agent), asked.signal, 'The request');
  }

  async #answer(asked: ApiRequest, agent: Agent): Promise<IncomingMessage> {
    let credentials = await this.credentials.current(asked.signal);
    let isRenewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#attempt(asked, credentials, agent);
      if (!isRenewed && isUnknown(response.statusCode, credentials)) {
        const others = await this.credentials.renew(credentials, asked.signal);
        if (others === undefined) return response;
        [credentials, isRenewed] = [others, true];
        response.resume();
        continue;
      }
      const waitMs = attempt < MOST_ATTEMPTS ? retryAfterMs(response) : undefined;
      if (waitMs === undefined) return response;
      response.resume();
      await delay(waitMs, undefined, { signal: asked.signal });
    }
  }

  async #attempt(
    { method, path, body, as, signal, repeatable = method === 'GET' }: ApiRequest,
    credentials: RequestOptions,
    agent: Agent,
  ): Promise<IncomingMessage> {
    const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
    const headers = {
      ...(credentials.headers as OutgoingHttpHeaders | undefined),
      accept: `application/json${as === undefined ? '' : `;as=${as};g=meta.k8s.io;v=v1`}`,
      // Node does not say the length of the body of a DELETE. The API server then does not read it, and takes it for
      // the next request of the connection.
      ...(data !== undefined && { 'content-type': type, 'content-length': data.length }),
    };
    const options = { ...credentials, method, headers, signal };
    const sendOver = async (way: Agent): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = request(
          this.server + path,
          { ...options, ...(!this.#isBehindProxy && { agent: way }) },
          resolve,
        );
        sent.once('error', (error: NodeJS.ErrnoException) => {
          const wasClosed = sent.reusedSocket && CLOSED.has(error.code);
          if (wasClosed && repeatable) resolve(sendOver(this.#single));
          else reject(error);
        });
        sent.end(data);
      });
    return sendOver(agent);
  }

  /** Closes connections that are kept. */
  close(): void {
    this.#agent.destroy();
    this.#urgent.destroy();
    this.#single.destroy();
  }
}

/** @throws PtcError `SANDBOX_UNAVAILABLE` */
async function loadClient(): Promise<typeof import('@kubernetes/client-node')> {
  try {
    return await import('@kubernetes/client-node');
  } catch (cause) {
    throw new PtcError(
      'SANDBOX_UNAVAILABLE',
      `The packages for Kubernetes cannot be loaded: ${messageOf(cause)}. Install them: npm install @kubernetes/client-node@^1.4.0 ws@^8.18.3`,
      { cause },
    );
  }
}

/** @throws PtcError `SANDBOX_UNAVAILABLE` */
function loadOrThrow(load: () => KubeConfig): KubeConfig {
  try {
    return load();
  } catch (cause) {
    throw unusable('The kubeconfig cannot be read', cause);
  }
}

/**
 * Without a kubeconfig and a pod, the client makes up a cluster. It takes the files of a service account
 * for a pod, also if nothing says where the API server is.
 */
function isMissing(config: KubeConfig): boolean {
  const server = config.getCurrentCluster()?.server ?? '';
  const context = config.getCurrentContext();
  if (context === 'inClusterContext') return /^https?:\/\/undefined:/.test(server);
  return context === 'loaded-context' && server === 'http://localhost:8080';
}

function ownNamespace(config: KubeConfig): string {
  const named = config.getContextObject(config.getCurrentContext())?.namespace;
  if (named !== undefined) return named;
  try {
    return readFileSync(`${SERVICE_ACCOUNT}/namespace`, 'utf8').trim();
  } catch {
    return 'default';
  }
}

function unusable(what: string, cause?: unknown): PtcError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new PtcError('SANDBOX_UNAVAILABLE', `${what}${why}. Check it with \`kubectl version\`.`, {
    cause,
  });
}
