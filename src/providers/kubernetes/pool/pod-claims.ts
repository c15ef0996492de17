import { createHash } from 'node:crypto';
import { inBackground } from '../../../shared/async/background.ts';
import { unlessAborted } from '../../../shared/async/abort.ts';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import { ApiError } from '../cluster/api-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { follow } from '../cluster/follow.ts';
import { ANNOTATIONS, LABELS } from '../pod/pod-template.ts';
import type { Pod } from '../pod/pod-types.ts';
import type { Share } from './pool-lease.ts';
import { readSeenPod } from './seen-pod.ts';

/** The API server's words for: another session has it, it is gone, it changes too often. */
const TAKEN: ReadonlySet<string | undefined> = new Set(['Invalid', 'NotFound', 'Conflict']);

/** Which pods are claimed. */
export interface ClaimsOptions {
  readonly cluster: Cluster;
  /** The path of the pods of a namespace. */
  readonly pods: string;
  /** The UID of the template. */
  readonly pool: string;
  readonly shape: string;
  /** Which pods this host takes first. */
  readonly share: () => Share;
}

/** A session, and its host as `encodeOwner` writes it. */
interface Claimant {
  readonly sessionId: string;
  readonly owner: string;
}

/**
 * Claims pods of a pool for sessions. It follows which pods run that no session has. Each host takes
 * those of its share first, so that two hosts rarely try the same one at a time.
 */
export class PodClaims {
  readonly #options: ClaimsOptions;
  /** The pods that no session has, by name, with numbers that are the same in all hosts. */
  readonly #free: Map<string, number> = new Map();
  readonly #closing = new AbortController();
  /** Settles when the pods are known. */
  #known: Deferred<void> = createDeferred();
  #isKnown = false;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.#known.promise.catch(() => undefined);
    inBackground(this.#follow());
  }

  /** How many pods are ready. */
  get ready(): number {
    return this.#free.size;
  }

  /**
   * Claims a pod, and returns it as it then is. Undefined if none is ready.
   * @throws ApiError, PtcError `SANDBOX_UNAVAILABLE`, or the signal's reason.
   */
  async claim(claimant: Claimant, signal?: AbortSignal): Promise<Pod | undefined> {
    await unlessAborted(this.#known.promise, signal);
    for (;;) {
      const name = this.#takeNext();
      if (name === undefined) return undefined;
      const path = `${this.#options.pods}/${name}`;
      const body = claimPatch(claimant);
      try {
        // Not with the signal: a pod of which the answer is lost would have a session that nobody has.
        return (await this.#options.cluster.send({ method: 'PATCH', path, body })) as Pod;
      } catch (error) {
        if (!(error instanceof ApiError) || !TAKEN.has(error.reason)) throw error;
        signal?.throwIfAborted();
      }
    }
  }

  /** Whoever waits for the pods to be known gets none: they are of a shape that is no longer wanted. */
  close(): void {
    this.#closing.abort();
    this.#known.resolve();
  }

  /**
   * The first one of its share. If there is none, the last one of the next share that has some: its
   * host takes the first.
   */
  #takeNext(): string | undefined {
    const { index, count } = this.#options.share();
    let next: string | undefined;
    let least = count;
    for (const [name, number] of this.#free) {
      const distance = ((number % count) + count - index) % count;
      if (distance > least) continue;
      [next, least] = [name, distance];
      if (distance === 0) break;
    }
    if (next !== undefined) this.#free.delete(next);
    return next;
  }

  async #follow(): Promise<void> {
    const { cluster, pods: list, pool, shape } = this.#options;
    const labelSelector = `${LABELS.pool}=${pool},${LABELS.shape}=${shape},${LABELS.session}=`;
    // A pod has this phase as soon as all its containers run.
    const select = { labelSelector, fieldSelector: 'status.phase=Running' };
    const { signal } = this.#closing;
    for await (const seen of follow(cluster, { list, select, onlyMetadata: true }, signal)) {
      if (seen.type === 'all') {
        this.#free.clear();
        for (const object of seen.objects) this.#add(object);
        this.#isKnown = true;
        this.#known.resolve();
      } else if (seen.type === 'changed') this.#add(seen.object);
      else if (seen.type === 'lost') this.#fail(seen.error);
      else this.#free.delete(readSeenPod(seen.object)?.name ?? '');
    }
  }

  #add(object: unknown): void {
    const pod = readSeenPod(object);
    if (pod === undefined) return;
    const number = createHash('sha256').update(pod.name).digest().readUInt32BE();
    this.#free.set(pod.name, number);
  }

  /** Tells those who wait for the pods to be known. The next one waits for the next attempt. */
  #fail(cause: Error): void {
    if (this.#isKnown) return;
    this.#known.reject(cause);
    this.#known = createDeferred();
    this.#known.promise.catch(() => undefined);
  }
}

/** Gives a pod to a session, if none has it. Only this label and annotation are changed: others may set others. */
function claimPatch({ sessionId, owner }: Claimant): unknown {
  const path = `/metadata/labels/${LABELS.session}`;
  return [
    { op: 'test', path, value: '' },
    { op: 'replace', path, value: sessionId },
    { op: 'add', path: `/metadata/annotations/${ANNOTATIONS.owner}`, value: owner },
  ];
}
