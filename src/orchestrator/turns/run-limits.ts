import { addUsage, NO_USAGE } from '../../models/token-usage.ts';
import type { TokenUsage } from '../../models/language-model.ts';
import { checkCount } from '../../sessions/executor-options.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import type { ToolSet } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';

/** What one run may take. A limit that is reached ends the run with `RUN_LIMIT`, unless it has its answer. */
export interface RunLimitOptions {
  /** How many tools may be run, from code and directly. A call beyond it fails, and the run ends when its turn does. @default no limit */
  readonly maxToolCalls?: number;
  /** How many tokens its model calls may read and write in all. It is looked at between model calls, so that the last may pass it. @default no limit */
  readonly maxTotalTokens?: number;
  /** What its model calls may cost in all, in the unit of `priceOf`. It is looked at between model calls, so that the last may pass it. @default no limit */
  readonly maxCost?: number;
  /** What a model call cost, by what its service counted and the model's id. @default not known */
  readonly priceOf?: (usage: TokenUsage, model: string) => number;
}

type Limit = 'maxToolCalls' | 'maxTotalTokens' | 'maxCost';

/** @throws PtcError `OPTION_INVALID`. */
export function checkRunLimits(options: RunLimitOptions): void {
  const { maxToolCalls = 0, maxTotalTokens = 1, maxCost, priceOf } = options;
  checkCount('maxToolCalls', maxToolCalls, 0);
  checkCount('maxTotalTokens', maxTotalTokens, 1);
  if (priceOf !== undefined && typeof priceOf !== 'function') {
    throw invalid(`priceOf must be a function, not ${typeof priceOf}.`);
  }
  if (maxCost !== undefined && (typeof maxCost !== 'number' || !(maxCost > 0))) {
    throw invalid(`maxCost must be a number, more than 0, not ${String(maxCost)}.`);
  }
}

/** What one run has taken, and whether that is all that it may. */
export class RunLimits {
  readonly #options: RunLimitOptions;
  #usage: TokenUsage = NO_USAGE;
  #cost = 0;
  #toolCalls = 0;
  #refusedCalls = 0;

  /** @throws PtcError `OPTION_INVALID` for a `maxCost` without prices. */
  constructor(options: RunLimitOptions) {
    if (options.maxCost !== undefined && options.priceOf === undefined) {
      throw invalid('maxCost needs priceOf, which says what a model call cost. Set both.');
    }
    this.#options = options;
  }

  /** What the services counted. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** Counts a model call. @throws PtcError `RUN_FAILED` if `priceOf` throws, `OPTION_INVALID` if it gives no price. */
  count(usage: TokenUsage, model: string): void {
    this.#usage = addUsage(this.#usage, usage);
    const { priceOf } = this.#options;
    if (priceOf === undefined) return;
    const price = priceFrom(priceOf, usage, model);
    if (typeof price !== 'number' || !(price >= 0)) {
      throw invalid(
        `priceOf must return a number, at least 0, not ${typeof price === 'number' ? price : typeof price}.`,
      );
    }
    this.#cost += price;
  }

  /** @throws PtcError `RUN_LIMIT` if the model may not be asked again. */
  check(): void {
    const {
      maxToolCalls = Infinity,
      maxTotalTokens = Infinity,
      maxCost = Infinity,
    } = this.#options;
    const { inputTokens, outputTokens } = this.#usage;
    const tokens = inputTokens + outputTokens;
    if (this.#refusedCalls > 0) {
      const asked = maxToolCalls + this.#refusedCalls;
      throw reached('maxToolCalls', maxToolCalls, `asked for ${asked} tool calls`, asked);
    }
    if (tokens >= maxTotalTokens) {
      throw reached('maxTotalTokens', maxTotalTokens, `took ${tokens} tokens`, tokens);
    }
    if (this.#cost >= maxCost) throw reached('maxCost', maxCost, `cost ${this.#cost}`, this.#cost);
  }

  /** The same tools, which fail once as many as may have been run. */
  bound(tools: ToolSet): ToolSet {
    const { maxToolCalls } = this.#options;
    if (maxToolCalls === undefined) return tools;
    const bound = new Map(tools.list().map((tool) => [tool.name, this.#bound(tool, maxToolCalls)]));
    const own = (some: readonly Tool[]): readonly Tool[] =>
      some.map((tool) => bound.get(tool.name) ?? tool);
    const set: ToolSet = {
      get: (name) => this.#current(bound.get(name), maxToolCalls),
      list: () => own(tools.list()),
      forCaller: (caller) => own(tools.forCaller(caller)),
      snapshot: () => set,
    };
    return set;
  }

  /** The tool as a call finds it: one that is going to be refused is told why, also if the tool tells no reasons. */
  #current(tool: Tool | undefined, maxToolCalls: number): Tool | undefined {
    return tool !== undefined && this.#toolCalls >= maxToolCalls
      ? { ...tool, errorDetails: 'message' }
      : tool;
  }

  #bound(tool: Tool, maxToolCalls: number): Tool {
    return {
      ...tool,
      run: async (input, context) => {
        if (this.#toolCalls >= maxToolCalls) {
          this.#refusedCalls += 1;
          throw new Error(
            `this run may make ${maxToolCalls} tool calls, and has made them; this call was not made`,
          );
        }
        this.#toolCalls += 1;
        return tool.run(input, context);
      },
    };
  }
}

function priceFrom(
  priceOf: NonNullable<RunLimitOptions['priceOf']>,
  usage: TokenUsage,
  model: string,
): unknown {
  try {
    return priceOf(usage, model);
  } catch (cause) {
    throw new PtcError('RUN_FAILED', `priceOf threw: ${messageOf(cause)}`, { cause });
  }
}

function reached(limit: Limit, value: number, what: string, used: number): PtcError {
  return new PtcError(
    'RUN_LIMIT',
    `The run ${what}, and ${limit} is ${value}. Run again to go on, or raise ${limit}.`,
    { details: { limit, value, used } },
  );
}

function invalid(message: string): PtcError {
  return new PtcError('OPTION_INVALID', message);
}
