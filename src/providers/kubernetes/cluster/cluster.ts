import { readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { ApiError } from './api-error.ts';
import { isInPod, SERVICE_ACCOUNT } from './in-pod.ts';

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
  readonly signal?: AbortSignal | undefined;
}

/** The API server answers at once, or it is not there. */
const ANSWER_MS = 30_000;
const MOST_CONNECTIONS = 64;

/** The API server of a cluster. */
export class Cluster {
  /** Such as `https://10.0.0.1:6443`, without a slash at the end. */
  readonly server: string;
  /** Where this process works unless it is told otherwise. */
  readonly namespace: string;
  readonly #config: KubeConfig;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS });
  /** Of watches, each of which keeps a connection. */
  readonly #watches = new Agent();

  private constructor(config: KubeConfig, server: string) {
    this.#config = config;
    this.server = server.replace(/\/$/, '');
    this.namespace = ownNamespace(config);
  }

  /**
   * Reads the kubeconfig, or what a pod gets from its service account.
   * @throws PtcError `SANDBOX_UNAVAILABLE`
   */
  static async find({ context, onlyAsPod = false }: ClusterOptions): Promise<Cluster> {
    if (onlyAsPod && !isInPod()) throw unusable('This process is not in a pod of a cluster');
    const { KubeConfig } = await loadClient();
    const config = new KubeConfig();
    try {
      if (onlyAsPod) config.loadFromCluster();
      else config.loadFromDefault();
    } catch (cause) {
      throw unusable('The kubeconfig cannot be read', cause);
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
    return new Cluster(config, server);
  }

  /**
   * The certificates and headers with which this process is known. Asked for each time: tokens are
   * renewed.
   */
  async credentials(): Promise<RequestOptions> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    return options;
  }

  /**
   * Sends a request, and returns the object of the answer.
   * @throws ApiError if the API server refuses, PtcError `SANDBOX_UNAVAILABLE` if it does not
   * answer, or the signal's reason.
   */
  async send({ method, path, body, signal }: ApiRequest): Promise<unknown> {
    const timed = AbortSignal.timeout(ANSWER_MS);
    const within = signal === undefined ? timed : AbortSignal.any([signal, timed]);
    const { status, text } = await this.#request({ method, path, body, signal: within })
      .then(async (response) => {
        const bytes = await buffer(response);
        return { status: response.statusCode ?? 0, text: bytes.toString() };
      })
      .catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw unusable(`The API server at ${this.server} does not answer`, cause);
      });
    if (status >= 300) throw new ApiError(`${method} ${path}`, status, text);
    return JSON.parse(text);
  }

  /**
   * Sends a request for changes, and returns the answer, whose body goes on until the signal fires
   * or the API server ends it.
   * @throws ApiError if the API server refuses, and other errors if it does not answer.
   */
  async watch(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#request({ method: 'GET', path, signal }, this.#watches);
    const status = response.statusCode ?? 0;
    if (status >= 300) throw new ApiError(`GET ${path}`, status, String(await buffer(response)));
    return response;
  }

  async #request(
    { method, path, body, signal }: ApiRequest,
    agent: Agent = this.#agent,
  ): Promise<IncomingMessage> {
    const credentials = await this.credentials();
    const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
    const headers = {
      ...(credentials.headers as OutgoingHttpHeaders | undefined),
      accept: 'application/json',
      // Node does not say the length of the body of a DELETE. The API server then does not read it, and takes it for
      // the next request of the connection.
      ...(data !== undefined && { 'content-type': type, 'content-length': data.length }),
    };
    return new Promise((resolve, reject) => {
      const options = { ...credentials, agent, method, headers, signal };
      const sent = request(this.server + path, options, resolve);
      sent.once('error', reject);
      sent.end(data);
    });
  }

  /** Closes connections that are kept. */
  close(): void {
    this.#agent.destroy();
    this.#watches.destroy();
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
