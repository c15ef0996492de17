import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../shared/json/json.ts';
import { warn } from '../../../shared/process-warning.ts';
import type { CheckedGrant, GrantScope } from './grant.ts';

/** A grant that covers calls. Times are milliseconds since the epoch. */
export interface ActiveGrant {
  readonly id: string;
  /** The only tool whose calls it covers. */
  readonly toolName: string;
  /** How many more calls it covers. */
  readonly callsLeft: number;
  /** With what it ends at the latest. */
  readonly until: GrantScope;
  /** The run of the call that was approved. */
  readonly runId: string;
  /** The session of the call that was approved; undefined for a direct call. */
  readonly sessionId: string | undefined;
  /** Arguments that a covered call must have. */
  readonly fields: JsonObject | undefined;
  /** The schema that the arguments of a covered call must fit. */
  readonly argumentsSchema: JsonObject | undefined;
  readonly grantedAtMs: number;
  readonly expiresAtMs: number;
}

/** Where a call comes from, as far as grants depend on it. */
export interface GrantingUnit {
  /** Stands for the program; undefined for direct calls. */
  readonly program: object | undefined;
  readonly runId: string;
  readonly sessionId: string | undefined;
  /** Fires when the session closes. @default it is not told */
  readonly sessionClosed?: AbortSignal | undefined;
}

/** The use of a grant by one call. */
export interface GrantUse {
  readonly id: string;
  /** How many more calls it covers now. */
  readonly callsLeft: number;
}

interface Held {
  readonly unit: GrantingUnit;
  readonly grant: CheckedGrant;
  readonly about: Omit<ActiveGrant, 'callsLeft'>;
  /** On the monotonic clock. */
  readonly endsAt: number;
  callsLeft: number;
}

/** Grants beyond this number are dropped: a person can no longer tell what is allowed. */
const MAXIMUM_GRANTS = 1000;

/** The grants of a policy: which of them covers a call. */
export class GrantBook {
  readonly #held: Map<string, Held> = new Map();
  /** What has ended with each program or run that has. Its last call may be approved a moment later. */
  readonly #ended: WeakMap<GrantingUnit, readonly GrantScope[]> = new WeakMap();

  /** The grants that cover calls now, the oldest first. */
  get active(): readonly ActiveGrant[] {
    this.#dropExpired();
    return [...this.#held.values()].map(({ about, callsLeft }) => ({ ...about, callsLeft }));
  }

  /** Returns false if the grant has ended before or never existed. */
  revoke(id: string): boolean {
    return this.#held.delete(id);
  }

  /**
   * Adds the grant of an approved call.
   * @returns undefined if there are too many already, or if that with which it ends has ended.
   */
  add(toolName: string, grant: CheckedGrant, unit: GrantingUnit): GrantUse | undefined {
    if (this.#ended.get(unit)?.includes(grant.until)) return undefined;
    this.#dropExpired();
    if (this.#held.size >= MAXIMUM_GRANTS) {
      warn(`A grant of an approver was dropped, because there are already ${MAXIMUM_GRANTS}.`);
      return undefined;
    }
    const id = randomUUID();
    const { until, durationMs, fields, argumentsSchema } = grant;
    const { runId, sessionId } = unit;
    const grantedAtMs = Date.now();
    const times = { grantedAtMs, expiresAtMs: grantedAtMs + durationMs };
    const about = { id, toolName, until, runId, sessionId, fields, argumentsSchema, ...times };
    const endsAt = performance.now() + durationMs;
    this.#held.set(id, { unit, grant, about, endsAt, callsLeft: grant.calls });
    return { id, callsLeft: grant.calls };
  }

  /**
   * Uses a grant for a call that would ask.
   * @param sent - The arguments of the call.
   * @returns the use of the oldest grant that covers the call; undefined if none does.
   */
  use(toolName: string, sent: unknown, unit: GrantingUnit): GrantUse | undefined {
    if (this.#held.size === 0) return undefined;
    this.#dropExpired();
    for (const [id, held] of this.#held) {
      if (held.about.toolName !== toolName || !isWithin(held, unit)) continue;
      if (held.grant.gapFor(sent) !== undefined) continue;
      held.callsLeft -= 1;
      const { callsLeft } = held;
      if (callsLeft === 0) this.#held.delete(id);
      return { id, callsLeft };
    }
    return undefined;
  }

  /** A program, or a run with its direct calls, has ended. */
  end(ended: GrantingUnit & { readonly endsRun: boolean }): void {
    const { program, runId, endsRun } = ended;
    this.#ended.set(ended, endsRun ? ['program', 'run'] : ['program']);
    for (const [id, { unit, about }] of this.#held) {
      const isOfProgram = about.until === 'program' && unit.program === program;
      const isOfRun = about.until === 'run' && endsRun && unit.runId === runId;
      if (isOfProgram || isOfRun) this.#held.delete(id);
    }
  }

  #dropExpired(): void {
    const now = performance.now();
    for (const [id, { endsAt, unit, about }] of this.#held) {
      const hasClosed = about.until === 'session' && unit.sessionClosed?.aborted === true;
      if (endsAt <= now || hasClosed) this.#held.delete(id);
    }
  }
}

/** Whether a call comes from what the grant is for. */
function isWithin({ unit, about }: Held, caller: GrantingUnit): boolean {
  if (about.until === 'program') return unit.program === caller.program;
  if (about.until === 'run') return unit.runId === caller.runId;
  return unit.sessionId === caller.sessionId;
}
