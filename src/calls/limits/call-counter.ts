import type { CallUnit, CountLimits, RepeatedCalls } from '../../tools/limits/count-limits.ts';
import type { Tool } from '../../tools/tool.ts';
import { EqualCalls } from './equal-calls.ts';
import { RUN_COUNTS, SESSION_COUNTS } from './scope-counts.ts';

/** The name of a limit, as it is set. `deferredCalls` cannot be set. */
export type LimitName = `maxCalls.${CallUnit}` | 'repeatedCalls.limit' | 'deferredCalls';

/** A call that its caller has made too often. */
export interface ExceededLimit {
  readonly limit: LimitName;
  /** With `ask`, an approver may allow it nevertheless. */
  readonly action: 'deny' | 'ask';
  /** What was counted, in a clause. */
  readonly reason: string;
}

/** What was found when a call was counted. */
export interface CountedBefore {
  /** The limit that it exceeds. */
  readonly exceeded: ExceededLimit | undefined;
}

/** A call that the schema and the rules allow. */
export interface CallToCount {
  readonly tool: Pick<Tool, 'name' | 'maxCalls' | 'repeatedCalls'>;
  /** Those of the rule that applies. They take the place of the tool's. */
  readonly limits: CountLimits | undefined;
  /** Whether there is an approver. */
  readonly canAsk: boolean;
  /** Returns the arguments as text, the same for equal ones. Called only if they matter. */
  readonly argumentsText: () => string;
}

/** Where calls are counted. */
export interface CountedScopes {
  readonly runId: string;
  readonly sessionId: string;
}

const UNITS: readonly CallUnit[] = ['program', 'run', 'session'];

/** Counts the calls of one program, or the direct calls of one run, and checks them against limits. */
export class CallCounter {
  readonly #scopes: CountedScopes;
  readonly #isProgram: boolean;
  #calls: Map<string, number> | undefined;
  #equal: EqualCalls | undefined;

  private constructor(scopes: CountedScopes, isProgram: boolean) {
    this.#scopes = scopes;
    this.#isProgram = isProgram;
  }

  /** For one program. */
  static ofProgram(scopes: CountedScopes): CallCounter {
    return new CallCounter(scopes, true);
  }

  /** For direct calls, to which only the limits of runs and sessions apply. */
  static ofDirectCalls(scopes: CountedScopes): CallCounter {
    return new CallCounter(scopes, false);
  }

  /**
   * Counts a call. It counts toward `maxCalls` unless it exceeds a limit that denies it.
   * @returns the limit that it exceeds; undefined if it exceeds none.
   */
  count(call: CallToCount): ExceededLimit | undefined {
    const { tool, limits } = call;
    const maxCalls = limits?.maxCalls ? { ...tool.maxCalls, ...limits.maxCalls } : tool.maxCalls;
    const repeatedCalls = limits?.repeatedCalls ?? tool.repeatedCalls;
    // Most tools have no limit.
    if (maxCalls === undefined && !repeatedCalls) return undefined;
    const units = UNITS.filter((unit) => maxCalls?.[unit] !== undefined && this.#has(unit));
    for (const unit of units) {
      const most = maxCalls?.[unit] ?? Infinity;
      if (this.#countOf(unit, tool.name) >= most) return spent(unit, most);
    }
    const repeated = repeatedCalls ? this.#countRepeated(call, repeatedCalls) : undefined;
    if (repeated?.action === 'deny') return repeated;
    for (const unit of units) this.#add(unit, tool.name);
    return repeated;
  }

  #has(unit: CallUnit): boolean {
    return unit !== 'program' || this.#isProgram;
  }

  #countOf(unit: CallUnit, name: string): number {
    if (unit === 'run') return RUN_COUNTS.get(this.#scopes.runId, name);
    if (unit === 'session') return SESSION_COUNTS.get(this.#scopes.sessionId, name);
    return this.#calls?.get(name) ?? 0;
  }

  #add(unit: CallUnit, name: string): void {
    if (unit === 'run') RUN_COUNTS.add(this.#scopes.runId, name);
    else if (unit === 'session') SESSION_COUNTS.add(this.#scopes.sessionId, name);
    else (this.#calls ??= new Map()).set(name, this.#countOf(unit, name) + 1);
  }

  #countRepeated(
    { tool, canAsk, argumentsText }: CallToCount,
    { limit, action }: RepeatedCalls,
  ): ExceededLimit | undefined {
    if (!this.#isProgram) return undefined;
    const count = (this.#equal ??= new EqualCalls()).count(tool.name, argumentsText());
    if (count <= limit) return undefined;
    const reason = `this program has already made ${calls(count - 1)} of this tool with equal arguments, and may make ${limit} (repeatedCalls.limit)`;
    return { limit: 'repeatedCalls.limit', action: canAsk ? action : 'deny', reason };
  }
}

function spent(unit: CallUnit, most: number): ExceededLimit {
  const reason = `this ${unit} has already made ${calls(most)} of this tool, which is as many as it may make (maxCalls.${unit})`;
  return { limit: `maxCalls.${unit}`, action: 'deny', reason };
}

function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}
