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
import type { SandboxSoftware } from '../../sandbox/software/software.ts';
import { throwIfAborted } from '../../shared/async/abort.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { SharedTask } from '../../shared/async/shared-task.ts';
import { PtcError } from '../../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { readWarmPool } from './agent-sandbox/read-warm-pool.ts';
import { startWarmPod } from './agent-sandbox/start-warm-pod.ts';
import { Cluster } from './cluster/cluster.ts';
import { missingRights } from './cluster/rights.ts';
import { LeaseKeys } from './keys/lease-keys.ts';
import { attachPod } from './persistent/attach-pod.ts';
import { findPods, removeOrphanedPods, type SearchOptions } from './found-pods.ts';
import { checkName, DEFAULT_TEMPLATE } from './pod/names.ts';
import { readTemplate } from './pod/read-template.ts';
import type { PodTemplate } from './pod/pod-types.ts';
import { PodPool } from './pool/pod-pool.ts';
import { readPool, readSpec } from './pool/pool-settings.ts';
import type { Wall } from './start/connect-pod.ts';
import { asClusterError, INSTALL } from './start/start-error.ts';
import { startClaimedPod } from './start/start-claimed-pod.ts';
import { podSoftware, type StartSandbox } from './start/pod-software.ts';
import { startPod, type StartOptions } from './start/start-pod.ts';

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
  /**
   * The name of the PodTemplate; or, where the controller of agent-sandbox is installed, that of its
   * SandboxWarmPool, whose pods sessions then claim.
   * @default sandboxed-ptc
   */
  readonly template?: string | { readonly warmPool: string };
  /**
   * What sandboxes need not have: `network`, in a cluster in which no policy engine enforces
   * NetworkPolicies; `temporary files`, if its kubelets do not limit volumes in memory; `processes`,
   * if its nodes have no user namespaces, which pods of a warm pool need to have a limit of their own.
   * @default none
   */
  readonly without?: readonly Wall[];
}

export const KUBERNETES_OPTIONS: OptionsObject<KubernetesProviderOptions> = {
  of: 'kubernetesProvider',
  names: { namespace: 'text', context: 'text', template: true, without: 'array' },
  page: 'docs/cluster.md',
};

const WARM_POOL_OPTIONS: OptionsObject<{ readonly warmPool: string }> = {
  of: 'template of kubernetesProvider',
  names: { warmPool: 'text' },
  required: ['warmPool'],
  page: 'docs/cluster.md',
};

const WALLS: readonly unknown[] = ['network', 'processes', 'temporary files'] satisfies Wall[];
/** How long a pod may take to start. */
const START_MS = 60_000;

/**
 * Sandboxes are pods of a Kubernetes cluster, without a network and made from a template that the
 * cluster has. Nothing is asked of the cluster before the first sandbox.
 * @throws PtcError `OPTION_INVALID`
 */
export function kubernetesProvider(options: KubernetesProviderOptions = {}): SandboxProvider {
  checkOptionNames(options, KUBERNETES_OPTIONS);
  const { namespace, template } = options;
  if (namespace !== undefined) checkName('namespace', namespace);
  if (typeof template === 'string') checkName('template', template);
  else if (template !== undefined) {
    checkOptionNames(template, WARM_POOL_OPTIONS);
    checkName('template.warmPool', template.warmPool);
  }
  const strange = options.without?.find((wall) => !WALLS.includes(wall));
  if (strange !== undefined) throw invalidOption('without', strange, WALLS.join(' or '));
  return new KubernetesProvider(options);
}

/** The provider of `auto`: it uses the cluster in which this process is a pod, and no other. */
export function ownClusterProvider(): SandboxProvider {
  return new KubernetesProvider({}, true);
}

/** What needs a cluster, and the keys of its hosts. */
type Work<Result> = (cluster: Cluster, options: SearchOptions) => Promise<Result>;

class KubernetesProvider implements SandboxProvider {
  readonly name = 'kubernetes';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript', 'bash'];
  readonly keys: SessionKeys = {
    stateOf: async (id) => this.#unlessClosed(async (_, { keys }) => keys.stateOf(id)),
    hold: async (id, options) => this.#unlessClosed(async (_, { keys }) => keys.hold(id, options)),
    waitUntilFree: async (id, options) =>
      this.#unlessClosed(
        async (_, { keys, signal }) => keys.waitUntilFree(id, { ...options, signal }),
        options.signal,
      ),
  };
  readonly #options: KubernetesProviderOptions;
  readonly #cluster: SharedTask<Cluster>;
  readonly #leases: SharedTask<LeaseKeys>;
  #connected: Cluster | undefined;
  #leaseKeys: LeaseKeys | undefined;
  #pool: PodPool | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(options: KubernetesProviderOptions, onlyAsPod = false) {
    this.#options = options;
    // `close` closes what there is then, so nothing is made afterwards.
    this.#cluster = new SharedTask(async () => {
      const cluster = await Cluster.find({ context: options.context, onlyAsPod });
      this.#closing.signal.throwIfAborted();
      return (this.#connected = cluster);
    });
    this.#leases = new SharedTask(async (signal) => {
      const cluster = await this.#cluster.result(signal);
      this.#closing.signal.throwIfAborted();
      const { namespace = cluster.namespace } = this.#options;
      return (this.#leaseKeys = new LeaseKeys(cluster, namespace));
    });
  }

  async create(spec: SandboxSpec, { signal }: ProviderCallOptions = {}): Promise<Sandbox> {
    return this.#inNamespace(
      async (cluster, about) => {
        const options = await this.#startOptions(cluster, about);
        const startWarm = this.#startWarm();
        if (startWarm !== undefined) return startWarm(cluster, spec, options);
        about.signal.throwIfAborted();
        const pool = (this.#pool ??= new PodPool(cluster, about.namespace));
        return (
          (await startClaimedPod(cluster, spec, { ...options, pool })) ??
          (await startPod(cluster, spec, options))
        );
      },
      signal,
      'The start of the sandbox',
    );
  }

  async attach(
    sessionId: string,
    { signal }: ProviderCallOptions = {},
  ): Promise<Sandbox | undefined> {
    const { without = [] } = this.#options;
    return this.#inNamespace(
      async (cluster, { namespace, keys, signal: within }) => {
        // Without keys of this provider, the caller makes sure that only one host uses the sandbox.
        const hasKey = async (): Promise<boolean> => (await keys.isHolder(sessionId)) ?? true;
        const about = { namespace, without, hasKey, owner: await keys.owner(), signal: within };
        return attachPod(cluster, sessionId, about);
      },
      signal,
      'The takeover of the sandbox',
    );
  }

  async software({ signal }: ProviderCallOptions = {}): Promise<SandboxSoftware | undefined> {
    return this.#inNamespace(
      async (cluster, about) => {
        const options = await this.#startOptions(cluster, about);
        const startWarm = this.#startWarm();
        if (startWarm === undefined) return podSoftware(cluster, options, startPod);
        const pool = readSpec(options.template);
        return podSoftware(cluster, options, async (_, { sessionId }) =>
          startWarm(cluster, { ...pool, sessionId }, options),
        );
      },
      signal,
      'The question for the software of sandboxes',
    );
  }

  /** Undefined if this provider makes pods itself. */
  #startWarm(): StartSandbox | undefined {
    const { template } = this.#options;
    if (typeof template !== 'object') return undefined;
    return async (cluster, spec, options) =>
      startWarmPod(cluster, spec, { ...options, warmPool: template.warmPool });
  }

  async #template(cluster: Cluster, namespace: string, signal?: AbortSignal): Promise<PodTemplate> {
    const { template = DEFAULT_TEMPLATE } = this.#options;
    return typeof template === 'string'
      ? readTemplate(cluster, { namespace, name: template }, signal)
      : readWarmPool(cluster, { namespace, name: template.warmPool }, signal);
  }

  async #startOptions(
    cluster: Cluster,
    { namespace, keys, signal }: SearchOptions,
  ): Promise<StartOptions> {
    const { without = [] } = this.#options;
    const [template, guests] = await Promise.all([
      this.#template(cluster, namespace, signal),
      readGuests(),
    ]);
    const owner = await keys.owner();
    return { namespace, template, guests, without, owner, startMs: START_MS, signal };
  }

  async probe({ signal }: ProviderCallOptions = {}): Promise<Availability> {
    throwIfAborted(signal);
    try {
      const cluster = await this.#cluster.result(signal);
      const { namespace = cluster.namespace } = this.#options;
      const template = await this.#template(cluster, namespace, signal);
      const claims = typeof this.#options.template === 'object';
      const pool = !claims && readPool(template) !== undefined;
      const missing = await missingRights(cluster, { namespace, claims, pool }, signal);
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
    return this.#inNamespace(removeOrphanedPods, signal, 'The removal of orphans');
  }

  async #inNamespace<Result>(
    work: Work<Result>,
    signal: AbortSignal | undefined,
    what: string,
  ): Promise<Result> {
    throwIfAborted(signal, what);
    try {
      return await this.#unlessClosed(work, signal);
    } catch (error) {
      throwIfAborted(signal, what);
      throw error;
    }
  }

  /** @throws PtcError, such as `CLOSED`, or the signal's reason. */
  async #unlessClosed<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result> {
    const closing = this.#closing.signal;
    using within = new AnySignal(signal, closing);
    try {
      const cluster = await this.#cluster.result(within.signal);
      const keys = await this.#leases.result(within.signal);
      within.signal.throwIfAborted();
      const { namespace = cluster.namespace } = this.#options;
      return await work(cluster, { namespace, keys, signal: within.signal });
    } catch (error) {
      signal?.throwIfAborted();
      closing.throwIfAborted();
      throw asClusterError(error);
    }
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(new PtcError('CLOSED', 'The Kubernetes provider was closed.'));
    await Promise.all([this.#leaseKeys?.close(), this.#pool?.close()]);
    this.#connected?.close();
  }
}
