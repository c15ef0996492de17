import { randomInt, randomUUID } from 'node:crypto';
import { inBackground } from '../../../shared/async/background.ts';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { follow, type Sight } from '../cluster/follow.ts';
import { LABELS } from '../pod/pod-template.ts';
import type { Metadata, PodTemplate } from '../pod/pod-types.ts';
import { checkTemplate } from '../pod/read-template.ts';
import { chooseUsers, sandboxPod } from '../pod/sandbox-pod.ts';
import { differenceOf, planOf, type PoolPlan } from './pool-plan.ts';
import { readSeenPod, type SeenPod } from './seen-pod.ts';

/** So many pods are asked for at a time. Nodes start them one after another. */
const MOST_COMING = 32;
/** To start a pod keeps its node busy: the host of the one that was claimed connects first. */
const AFTER_CLAIM_MS = 500;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
/** A pod that no session claims ends by itself after one to two hours, so none stays without hosts. */
const LEAST_UNCLAIMED_SECONDS = 3600;

export interface KeeperOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly template: Pick<Metadata, 'name' | 'uid'>;
  readonly guests: readonly Guest[];
  /** The template is gone, and with it the pool. */
  readonly onGone: () => void;
}

/**
 * Keeps a pool as its template says: makes pods that are missing, and ends those that are too many
 * or of another shape. It never ends one that a session has.
 */
export class PoolKeeper {
  readonly #options: KeeperOptions;
  readonly #namespacePath: string;
  readonly #stopping = new AbortController();
  /** The pods that no session has, by name, oldest first. Undefined until they are known. */
  #pods: Map<string, SeenPod> | undefined;
  /** Undefined if there is to be no pool. */
  #plan: PoolPlan | undefined;
  /** Whether the template is known and understood. */
  #isPlanned = false;
  /** The names of pods that are being made, and whether the API server has said that they are. */
  readonly #coming: Map<string, boolean> = new Map();
  readonly #leaving: Set<string> = new Set();
  /** Set while nothing is made: after a claim, or because the last pod did not start. */
  #pause: NodeJS.Timeout | undefined;
  /** When the pause ends, on the clock that never goes back. */
  #resumesAt = 0;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#namespacePath = `/api/v1/namespaces/${options.namespace}`;
    inBackground(this.#followTemplate());
    inBackground(this.#followPods());
  }

  /** The pods stay, for the next host. */
  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#pause);
  }

  async #followTemplate(): Promise<void> {
    const { cluster, template, guests } = this.#options;
    const select = { fieldSelector: `metadata.name=${template.name}` };
    const followed = { list: `${this.#namespacePath}/podtemplates`, select };
    for await (const seen of follow(cluster, followed, this.#stopping.signal)) {
      if (seen.type === 'lost') continue;
      const object = (seen.type === 'all' ? seen.objects[0] : seen.object) as PodTemplate;
      // If it is gone, the cluster ends its pods.
      const isThere = seen.type !== 'gone' && object?.metadata.uid === template.uid;
      if (!isThere) {
        this.stop();
        return this.#options.onGone();
      }
      try {
        checkTemplate(object);
        this.#plan = planOf(object, guests);
        this.#isPlanned = true;
        this.#adjust();
      } catch {
        // Whoever wants a sandbox is told what is wrong with it. The pods that are there stay.
        this.#isPlanned = false;
      }
    }
  }

  async #followPods(): Promise<void> {
    const { cluster, template } = this.#options;
    const select = {
      labelSelector: `${LABELS.pool}=${template.uid}`,
      fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed',
    };
    const followed = { list: `${this.#namespacePath}/pods`, select, onlyMetadata: true };
    for await (const seen of follow(cluster, followed, this.#stopping.signal)) {
      this.#see(seen);
      this.#adjust();
    }
  }

  #see(seen: Sight): void {
    if (seen.type === 'all') {
      const pods = seen.objects.flatMap((object) => readSeenPod(object) ?? []);
      const free = pods.filter(({ session }) => session === '');
      this.#pods = new Map(free.map((pod) => [pod.name, pod]));
      for (const [name, isMade] of this.#coming) if (isMade) this.#coming.delete(name);
      for (const { name } of pods) this.#coming.delete(name);
    } else if (seen.type === 'changed') this.#change(readSeenPod(seen.object));
    else if (seen.type === 'gone') this.#end(readSeenPod(seen.object));
  }

  #change(pod: SeenPod | undefined): void {
    if (pod === undefined) return;
    this.#coming.delete(pod.name);
    if (pod.session === '') this.#pods?.set(pod.name, pod);
    // Pods start, and are of use.
    else if (this.#pods?.delete(pod.name) === true) {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#makeIn(AFTER_CLAIM_MS);
    }
  }

  #end(pod: SeenPod | undefined): void {
    if (pod === undefined) return;
    this.#coming.delete(pod.name);
    if (this.#pods?.delete(pod.name) !== true) return;
    const ageSeconds = (Date.now() - Date.parse(pod.created)) / 1000;
    // It ended by itself, as intended.
    if (ageSeconds >= LEAST_UNCLAIMED_SECONDS) return;
    // One that did not start, or was ended by others. Its successor might fare the same.
    if (!this.#leaving.has(pod.uid)) this.#backOff();
  }

  #adjust(): void {
    if (this.#pods === undefined || !this.#isPlanned || this.#stopping.signal.aborted) return;
    const staying = [...this.#pods.values()].filter(({ uid }) => !this.#leaving.has(uid));
    const { missing, surplus } = differenceOf(this.#plan, staying, this.#coming.size);
    for (const pod of surplus) inBackground(this.#remove(pod));
    if (this.#plan === undefined || this.#pause !== undefined) return;
    const room = Math.min(missing, MOST_COMING - this.#coming.size);
    for (let count = 0; count < room; count += 1) inBackground(this.#make(this.#plan));
  }

  async #make({ spec, template, guests, shape }: PoolPlan): Promise<void> {
    const name = `sandbox-${randomUUID()}`;
    this.#coming.set(name, false);
    const unclaimedSeconds = LEAST_UNCLAIMED_SECONDS + randomInt(LEAST_UNCLAIMED_SECONDS);
    const pool = { shape, unclaimedSeconds };
    const body = sandboxPod(spec, { name, template, guests, users: chooseUsers(), pool });
    const path = `${this.#namespacePath}/pods`;
    try {
      await this.#options.cluster.send({ method: 'POST', path, body });
      // It may have been seen already.
      if (this.#coming.has(name)) this.#coming.set(name, true);
    } catch {
      // There is no room, or the API server is not there.
      this.#coming.delete(name);
      this.#backOff();
    }
  }

  /** Ends a pod, unless a session claims it meanwhile. */
  async #remove({ name, uid, version }: SeenPod): Promise<void> {
    this.#leaving.add(uid);
    const path = `${this.#namespacePath}/pods/${name}`;
    const body = { preconditions: { uid, resourceVersion: version } };
    // If that fails, it has changed, and what it is like now is seen.
    await this.#options.cluster.send({ method: 'DELETE', path, body }).catch(() => undefined);
    this.#leaving.delete(uid);
  }

  #backOff(): void {
    // Those that were made together fail together.
    if (this.#pause !== undefined) return;
    this.#makeIn(this.#pauseMs);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
  }

  /** Makes what is missing after a pause. Of two pauses, the one that ends first counts. */
  #makeIn(pauseMs: number): void {
    const resumesAt = performance.now() + pauseMs;
    const isSooner = this.#pause === undefined || resumesAt < this.#resumesAt;
    if (!isSooner || this.#stopping.signal.aborted) return;
    clearTimeout(this.#pause);
    this.#resumesAt = resumesAt;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#adjust();
    }, pauseMs).unref();
  }
}
