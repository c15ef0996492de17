import type { RequestOptions } from 'node:https';
import { unlessAborted } from '../../../shared/async/abort.ts';

/**
 * What is used here of a `KubeConfig` of `@kubernetes/client-node`. That package is optional, so no
 * declaration of this one may refer to it.
 */
export interface ClientConfig {
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
  getCurrentContext(): string;
  setCurrentContext(context: string): void;
  getCurrentCluster(): { readonly server: string } | null;
  getCurrentUser(): { readonly exec?: unknown } | null;
}

/** For how long a token of a plugin is used. A plugin that takes longer is started again. */
const PLUGIN_MS = 60_000;

/** One reading of the credentials, which all who ask meanwhile share. */
interface Reading {
  readonly options: Promise<RequestOptions>;
  /** On the monotonic clock. */
  readonly until: number;
}

/**
 * The certificates and headers with which the API server knows this process. Tokens are renewed
 * while it runs.
 */
export class Credentials {
  #config: ClientConfig;
  #reading: Reading | undefined;
  readonly #load: () => ClientConfig;

  /**
   * @param config - The kubeconfig, with its current context.
   * @param load - Reads it again, and with it what it names.
   */
  constructor(config: ClientConfig, load: () => ClientConfig) {
    this.#config = config;
    this.#load = load;
  }

  /**
   * Those to send now. A token of a file or a plugin may be as old as a minute.
   * @param signal - A plugin can take for ever, such as one that waits for a login.
   * @throws PtcError `ABORTED` if the signal fires, and what a plugin fails with.
   */
  async current(signal: AbortSignal | undefined): Promise<RequestOptions> {
    const known = this.#reading;
    const isFresh = known !== undefined && performance.now() < known.until;
    const { options } = isFresh ? known : this.#read();
    return unlessAborted(options, signal, 'The wait for credentials');
  }

  /**
   * Reads them anew, because the API server no longer knows some.
   * @returns undefined if there are no others.
   */
  async renew(
    refused: RequestOptions,
    signal: AbortSignal | undefined,
  ): Promise<RequestOptions | undefined> {
    const config = this.#config;
    const current = await this.current(signal);
    // Another request was refused before.
    if (!areSame(current, refused)) return current;
    try {
      // Of requests that are refused at the same time, the first reads the kubeconfig again.
      if (this.#config === config && !this.#reload()) return undefined;
      const renewed = await this.current(signal);
      return areSame(renewed, refused) ? undefined : renewed;
    } catch {
      // What the API server says of the refused ones tells more.
      return undefined;
    }
  }

  #read(): Reading {
    const reading = { options: this.#ask(), until: performance.now() + PLUGIN_MS };
    this.#reading = reading;
    const forget = (): void => {
      if (this.#reading === reading) this.#reading = undefined;
    };
    const hasPlugin = this.#config.getCurrentUser()?.exec !== undefined;
    reading.options
      .then(({ cert }) => {
        // A certificate that has expired ends in an error for which nothing is renewed.
        if (!hasPlugin || cert !== undefined) forget();
        return undefined;
      })
      .catch(forget);
    return reading;
  }

  async #ask(): Promise<RequestOptions> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    return options;
  }

  /** @returns whether the kubeconfig is still for the same cluster. */
  #reload(): boolean {
    const config = this.#load();
    config.setCurrentContext(this.#config.getCurrentContext());
    // It may have been changed for another cluster, which must not lose its credentials to this one.
    if (config.getCurrentCluster()?.server !== this.#config.getCurrentCluster()?.server) {
      return false;
    }
    this.#config = config;
    this.#reading = undefined;
    return true;
  }
}

/**
 * Whether this status means that the API server did not recognize who sent the request. A file with a
 * token is empty for a moment while it is written in place. The API server takes a request without a
 * token for one of the user `system:anonymous`, and answers 403, because that user has no rights.
 */
export function isUnknown(
  status: number | undefined,
  { headers, auth, cert }: RequestOptions,
): boolean {
  if (status !== 403) return status === 401;
  const hasToken = headers !== undefined && 'Authorization' in headers;
  return !hasToken && auth === undefined && cert === undefined;
}

function areSame(one: RequestOptions, other: RequestOptions): boolean {
  const [first, second] = [one, other].map(({ headers, auth, cert, key }) =>
    JSON.stringify([headers, auth, cert, key]),
  );
  return first === second;
}
