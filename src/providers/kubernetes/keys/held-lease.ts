import { setTimeout as delay } from 'node:timers/promises';
import type { HeldKey } from '../../../sandbox/keys/keys.ts';
import { untilAborted } from '../../../shared/async/abort.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { Pauses } from '../cluster/pauses.ts';
import {
  answerPatch,
  givePatch,
  type Answer,
  type KeyLease,
  type KeyRequest,
  readKeyLease,
} from './key-lease.ts';
import type { LeaseWatch } from './lease-watch.ts';
import { LEAVE_MS, type Leases, unlessLost } from './leases.ts';

/** If a key was not given to who waits for it by then, they are told that it will be. */
const SOON_MS = 1000;

interface HeldLeaseParts {
  readonly leases: Leases;
  readonly watch: LeaseWatch;
  /** As in `HoldKeyOptions`. */
  readonly onAsked: () => boolean;
  /** Of the attempts to release it while the API server refuses. */
  readonly longestPauseMs: number;
  /** Ends these attempts: the cluster removes what belongs to the Lease of a host that is gone. */
  readonly closing: AbortSignal;
  /** Called when the key is released. */
  readonly onReleased: () => void;
}

/** A key that a claim of this host has. Others ask for it in its Lease. */
export class HeldLease implements HeldKey {
  readonly #parts: HeldLeaseParts;
  readonly #leases: Leases;
  readonly #loss: AbortController = new AbortController();
  /** The claims that were answered. */
  readonly #answered: Set<string> = new Set();
  readonly #ignore: () => void;
  #lease: KeyLease;
  #isReleased = false;

  /** @param lease - Which names the claim as its holder. */
  constructor(lease: KeyLease, parts: HeldLeaseParts) {
    this.#lease = lease;
    this.#parts = parts;
    this.#leases = parts.leases;
    this.#ignore = parts.watch.listen(lease.name, {
      changed: (seen) => this.#changed(seen),
      gone: () => unlessLost(this.#look()),
    });
    // By the holder before.
    for (const { id, answer } of lease.requests) if (answer !== 'none') this.#answered.add(id);
    this.#changed(lease);
  }

  get isWanted(): boolean {
    return this.#lease.requests.length > 0;
  }

  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  /** Whether this claim still has the key, as the API server knows it. */
  async isHeld(): Promise<boolean> {
    await this.#look();
    return !this.#isReleased && !this.#loss.signal.aborted;
  }

  /** If the API server does not answer soon, the key is left later. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#ignore();
    this.#parts.onReleased();
    if (this.#loss.signal.aborted) return;
    const left = this.#leave().catch(() => inBackground(this.#leaveLater()));
    await untilAborted(left, AbortSignal.timeout(LEAVE_MS));
  }

  #changed(lease: KeyLease): void {
    if (this.#isReleased || this.#loss.signal.aborted) return;
    // An event that is older than the key of this host has an earlier holder.
    if (lease.holder !== this.#lease.holder) return unlessLost(this.#look());
    this.#lease = lease;
    const waiting = new Set(lease.requests.map(({ id }) => id));
    for (const id of this.#answered) if (!waiting.has(id)) this.#answered.delete(id);
    for (const request of lease.requests) {
      if (this.#answered.has(request.id)) continue;
      this.#answered.add(request.id);
      if (this.#parts.onAsked()) unlessLost(this.#sayLater(request));
      else unlessLost(this.#say(request, 'in use'));
    }
  }

  /** Finds out whether the key is still this claim's. */
  async #look(): Promise<void> {
    const lease = readKeyLease(await this.#leases.get(this.#lease.name));
    if (lease?.holder === this.#lease.holder) this.#changed(lease);
    else if (!this.#isReleased) this.#loss.abort();
  }

  async #sayLater(request: KeyRequest): Promise<void> {
    await delay(SOON_MS, undefined, { ref: false });
    if (!this.#isReleased) await this.#say(request, 'soon');
  }

  async #say(request: KeyRequest, answer: Answer): Promise<void> {
    await this.#leases.patch(this.#lease.name, answerPatch(request, answer));
  }

  async #leave(): Promise<void> {
    for (let lease: KeyLease | undefined = this.#lease; lease !== undefined;) {
      const { name, version, requests, holder }: KeyLease = lease;
      const [next] = requests;
      const done =
        next === undefined
          ? await this.#leases.remove(name, version)
          : await this.#leases.patch(name, givePatch(lease, next));
      if (done !== undefined) return;
      const now = readKeyLease(await this.#leases.get(name));
      lease = now?.holder === holder ? now : undefined;
    }
  }

  /** No refusal is final: an API server that starts forbids for a while what it allows later. */
  async #leaveLater(): Promise<void> {
    const { longestPauseMs, closing } = this.#parts;
    const pauses = new Pauses(longestPauseMs);
    while (!closing.aborted) {
      await pauses.wait(closing);
      if (closing.aborted) return;
      try {
        await this.#leave();
        return;
      } catch {
        // The API server is still not there.
      }
    }
  }
}
