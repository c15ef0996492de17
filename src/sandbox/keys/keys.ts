// Which of the hosts that a provider can have uses the session of a key. The contract for keys of the
// machine (`machine-keys.ts`) and of providers whose sandboxes several machines share.

/** What a host that wants a key finds. `left`: its holder has just left it to this host, for a moment. */
export type KeyState = 'free' | 'left' | 'held';

/** How long a host waits for a key. Times are on the monotonic clock, as `performance.now()`. */
export interface KeyPatience {
  /** Until when it waits for a holder that says that it uses the session. */
  readonly deadline: number;
  /** Until when it waits for the holder's answer. */
  readonly answerDeadline: number;
}

/** How a host waits for a key that another has. */
export interface WaitForKeyOptions {
  readonly patience: KeyPatience;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** As in `HoldKeyOptions`, if the key is left to this host. @default nothing */
  readonly advertise?: string | undefined;
}

/** What a host decides and says while it has a key. */
export interface HoldKeyOptions {
  /**
   * Called when another asks for the key. Returns whether the key will be free soon, because nobody
   * uses the session. Never throws.
   */
  readonly onAsked: () => boolean;
  /** What others are told about this host if they cannot have the key. @default nothing */
  readonly advertise?: string | undefined;
}

/** The host that has a key. */
export interface KeyHolder {
  /** What it says about itself. Undefined if it says nothing, or did not answer. */
  readonly advertised: string | undefined;
}

/** A key that this host has until it releases the key or ends in any way, or the key is lost. */
export interface HeldKey {
  /** Whether another has asked for it and waits for it. */
  readonly isWanted: boolean;
  /**
   * Fires if another host may have the key although it was not released, because this host gave no
   * sign of life for too long. From then on, nothing more is done in the sandbox.
   */
  readonly lost: AbortSignal;
  /**
   * Leaves the key to whoever asked first. Call it once, when the sandbox is gone or was left. Does
   * nothing to a key that was lost.
   */
  release(): Promise<void>;
}

/**
 * The keys of sessions, of which one executor at a time has each. A key has the id of its session,
 * which is the same for all hosts. The holder of a key gives it up if another asks for it and nobody
 * uses the session.
 */
export interface SessionKeys {
  /** What `hold` would find now. */
  stateOf(id: string): Promise<KeyState>;
  /**
   * Takes a key that nobody has, or that was left to this host.
   * @returns undefined if another has it.
   */
  hold(id: string, options: HoldKeyOptions): Promise<HeldKey | undefined>;
  /**
   * Asks for a key that another has, and waits until it may be free. Then call `hold` at once. If it
   * returns undefined, a third was faster.
   * @returns who still has it after the time that `patience` gives them; undefined if it may be free.
   * @throws the signal's reason if it fires first.
   */
  waitUntilFree(id: string, options: WaitForKeyOptions): Promise<KeyHolder | undefined>;
}
