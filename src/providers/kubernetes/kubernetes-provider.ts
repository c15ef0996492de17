import type { LanguageName } from '../../protocol/messages.ts';
import type { SessionKeys } from '../../sandbox/keys/keys.ts';
import { readGuests } from '../../sandbox/guests/guests.ts';
import type {
  Availability,
  FoundSandbox,
  ProviderCallOptions,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../sandbox/sandbox.ts';
import { throwIfAborted } from '../../shared/async/abort.ts';
import { SharedTask } from '../../shared/async/shared-task.ts';
import { PtcError } from '../../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { Cluster } from './cluster/cluster.ts';
import { missingRights } from './cluster/rights.ts';
import { LeaseKeys } from './keys/lease-keys.ts';
import { findPods, removeEndedPods } from './found-pods.ts';
import { checkName, DEFAULT_TEMPLATE } from './pod/names.ts';
import { readTemplate } from './pod/read-template.ts';
import { asClusterError, INSTALL } from './start/start-error.ts';
import { startPod, type Wall } from './start/start-pod.ts';

/** Options of `kubernetesProvider`. */
export interface KubernetesProviderOptions {
  /**
   * Where the template is, and the sandboxes are made.
   * @default that of the context or, in a pod, that of the pod
   */
  readonly namespace?: string;
  /**
   * A context of the kubeconfig.
   * @default the current one or, without a kubeconfig, the service account of this pod
   */
  readonly context?: string;
  /** The name of the PodTemplate. @default sandboxed-ptc */
  readonly template?: string;
  /**
   * What sandboxes need not have: `network`, in a cluster in which no policy engine enforces
   * NetworkPolicies, or `temporary files`, if its kubelets do not limit volumes in memory.
   * @default none
   */
  readonly without?: readonly Wall[];
}

export const KUBERNETES_OPTIONS: OptionsObject<KubernetesProviderOptions> = {
  of: 'kubernetesProvider',
  names: { namespace: 'text', context: 'text', template: 'text', without: 'array' },
  page: 'docs/cluster.md',
};

const WALLS: readonly unknown[] = ['network', 'temporary files'] satisfies Wall[];
/** How long a pod may take to start. */
const START_MS = 60_000;

/**
 * Sandboxes are pods of a Kubernetes cluster, without a network and made from a template that the
 * cluster has. Nothing is asked of the cluster before the first sandbox.
 * @throws PtcError `OPTION_INVALID`
 */
export function kubernetesProvider(options: KubernetesProviderOptions = {}): SandboxProvider {
  checkOptionNames(options, KUBERNETES_OPTIONS);
  for (const option of ['namespace', 'template'] as const) {
    if (options[option] !== undefined) checkName(option, options[option]);
  }
  const strange = options.without?.find((wall) => !WALLS.includes(wall));
  if (strange !== undefined) throw invalidOption('without', strange, WALLS.join(' or '));
  return new KubernetesProvider(options);
}

/** The provider of `auto`: it uses the cluster in which this process is a pod, and no other. */
export function ownClusterProvider(): SandboxProvider {
  return new KubernetesProvider({}, true);
}

class KubernetesProvider implements SandboxProvider {
  readonly name = 'kubernetes';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript', 'bash'];
  readonly keys: SessionKeys = {
    stateOf: async (id) => this.#withKeys(async (keys) => keys.stateOf(id)),
    hold: async (id, options) => this.#withKeys(async (keys) => keys.hold(id, options)),
    waitUntilFree: async (id, options) =>
      this.#withKeys(async (keys) => keys.waitUntilFree(id, options), options.signal),
  };
  readonly #options: KubernetesProviderOptions;
  readonly #cluster: SharedTask<Cluster>;
  readonly #leases: SharedTask<LeaseKeys>;
  #connected: Cluster | undefined;
  #leaseKeys: LeaseKeys | undefined;
  #closed = false;

  constructor(options: KubernetesProviderOptions, onlyAsPod = false) {
    this.#options = options;
    const { context } = options;
    this.#cluster = new SharedTask(
      async () => (this.#connected = await Cluster.find({ context, onlyAsPod })),
    );
    this.#leases = new SharedTask(async (signal) => {
      const cluster = await this.#cluster.result(signal);
      const { namespace = cluster.namespace } = this.#options;
      return (this.#leaseKeys = new LeaseKeys(cluster, namespace));
    });
  }

  async create(spec: SandboxSpec, { signal }: ProviderCallOptions = {}): Promise<Sandbox> {
    if (this.#closed) throw new PtcError('CLOSED', 'The Kubernetes provider was closed.');
    throwIfAborted(signal);
    try {
      const cluster = await this.#cluster.result(signal);
      const { template: name = DEFAULT_TEMPLATE, without = [] } = this.#options;
      const { namespace = cluster.namespace } = this.#options;
      const [template, guests] = await Promise.all([
        readTemplate(cluster, { namespace, name }, signal),
        readGuests(),
      ]);
      const startMs = START_MS;
      return await startPod(cluster, spec, {
        namespace,
        template,
        guests,
        without,
        startMs,
        signal,
      });
    } catch (error) {
      throwIfAborted(signal, 'The start of the sandbox');
      throw asClusterError(error);
    }
  }

  async probe({ signal }: ProviderCallOptions = {}): Promise<Availability> {
    throwIfAborted(signal);
    try {
      const cluster = await this.#cluster.result(signal);
      const { template: name = DEFAULT_TEMPLATE, namespace = cluster.namespace } = this.#options;
      await readTemplate(cluster, { namespace, name }, signal);
      const missing = await missingRights(cluster, namespace, signal);
      if (missing.length > 0) {
        const reason = `in the namespace ${namespace}, this process may not ${missing.join(', ')}`;
        return { usable: false, reason, remedy: `${INSTALL}, and use its ServiceAccount.` };
      }
      return {
        usable: true,
        description: `Kubernetes at ${cluster.server}, namespace ${namespace}`,
      };
    } catch (error) {
      throwIfAborted(signal, 'The check of the cluster');
      const { message } = asClusterError(error);
      return { usable: false, reason: message.replace(/\.$/, ''), remedy: '' };
    }
  }

  async findSandboxes({ signal }: ProviderCallOptions = {}): Promise<readonly FoundSandbox[]> {
    return this.#inNamespace(findPods, signal, 'The search for sandboxes');
  }

  async removeOrphans({ signal }: ProviderCallOptions = {}): Promise<readonly FoundSandbox[]> {
    return this.#inNamespace(removeEndedPods, signal, 'The removal of orphans');
  }

  async #inNamespace<Result>(
    work: (cluster: Cluster, namespace: string, signal?: AbortSignal) => Promise<Result>,
    signal: AbortSignal | undefined,
    what: string,
  ): Promise<Result> {
    throwIfAborted(signal, what);
    try {
      const cluster = await this.#cluster.result(signal);
      return await work(cluster, this.#options.namespace ?? cluster.namespace, signal);
    } catch (error) {
      throwIfAborted(signal, what);
      throw asClusterError(error);
    }
  }

  async #withKeys<Result>(
    work: (keys: LeaseKeys) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#closed) throw new PtcError('CLOSED', 'The Kubernetes provider was closed.');
    try {
      return await work(await this.#leases.result(signal));
    } catch (error) {
      signal?.throwIfAborted();
      throw asClusterError(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#leaseKeys?.close();
    this.#connected?.close();
  }
}
