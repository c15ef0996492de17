import type { OutgoingHttpHeaders } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import { PtcError } from '../../../shared/errors.ts';
import { ApiError } from './api-error.ts';

/** Which cluster is used, and as whom. */
export interface ClusterOptions {
  /**
   * A context of the kubeconfig.
   * @default the current one
   */
  readonly context?: string;
}

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'DELETE' | 'POST';
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
  readonly #config: KubeConfig;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS });

  private constructor(config: KubeConfig, server: string) {
    this.#config = config;
    this.server = server.replace(/\/$/, '');
  }

  /**
   * Reads the kubeconfig, or what a pod gets from its service account.
   * @throws PtcError `SANDBOX_UNAVAILABLE`
   */
  static async find({ context }: ClusterOptions): Promise<Cluster> {
    const { KubeConfig } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    try {
      config.loadFromDefault();
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
    const credentials = await this.credentials();
    const timed = AbortSignal.timeout(ANSWER_MS);
    const data = body === undefined ? undefined : JSON.stringify(body);
    const { status, text } = await new Promise<{ status: number; text: string }>(
      (resolve, reject) => {
        const headers = {
          ...(credentials.headers as OutgoingHttpHeaders | undefined),
          accept: 'application/json',
          ...(data !== undefined && { 'content-type': 'application/json' }),
        };
        const options = {
          ...credentials,
          agent: this.#agent,
          method,
          headers,
          signal: signal === undefined ? timed : AbortSignal.any([signal, timed]),
        };
        const sent = request(this.server + path, options, (response) => {
          const read = buffer(response);
          read.then(
            (bytes) => resolve({ status: response.statusCode ?? 0, text: bytes.toString() }),
            reject,
          );
        });
        sent.once('error', reject);
        sent.end(data);
      },
    ).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw unusable(`The API server at ${this.server} does not answer`, cause);
    });
    if (status >= 300) throw new ApiError(`${method} ${path}`, status, text);
    return JSON.parse(text);
  }

  /** Closes connections that are kept. */
  close(): void {
    this.#agent.destroy();
  }
}

function unusable(what: string, cause?: unknown): PtcError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new PtcError('SANDBOX_UNAVAILABLE', `${what}${why}. Check it with \`kubectl version\`.`, {
    cause,
  });
}
