import type { RequestOptions } from 'node:https';

/**
 * What is used here of a `KubeConfig` of `@kubernetes/client-node`. That package is optional, so no
 * declaration of this one may refer to it.
 */
export interface ClientConfig {
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
  getCurrentContext(): string;
  setCurrentContext(context: string): void;
  getCurrentCluster(): { readonly server: string } | null;
}

/**
 * The certificates and headers with which the API server knows this process. Tokens are renewed
 * while it runs.
 */
export class Credentials {
  #config: ClientConfig;
  readonly #load: () => ClientConfig;

  /**
   * @param config - The kubeconfig, with its current context.
   * @param load - Reads it again, and with it what it names.
   */
  constructor(config: ClientConfig, load: () => ClientConfig) {
    this.#config = config;
    this.#load = load;
  }

  /** Those to send now. A token of a file may be as old as a minute. */
  async current(): Promise<RequestOptions> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    return options;
  }

  /**
   * Reads them anew, because the API server no longer knows some.
   * @returns undefined if there are no others.
   */
  async renew(refused: RequestOptions): Promise<RequestOptions | undefined> {
    const current = await this.current();
    // Another request was refused before.
    if (!areSame(current, refused)) return current;
    try {
      const config = this.#load();
      const context = this.#config.getCurrentContext();
      config.setCurrentContext(context);
      // The kubeconfig may have been changed for another cluster, which must not lose its credentials to this one.
      if (config.getCurrentCluster()?.server !== this.#config.getCurrentCluster()?.server) {
        return undefined;
      }
      this.#config = config;
      const renewed = await this.current();
      return areSame(renewed, refused) ? undefined : renewed;
    } catch {
      // What the API server says of the refused ones tells more.
      return undefined;
    }
  }
}

function areSame(one: RequestOptions, other: RequestOptions): boolean {
  const [first, second] = [one, other].map(({ headers, auth, cert, key }) =>
    JSON.stringify([headers, auth, cert, key]),
  );
  return first === second;
}
