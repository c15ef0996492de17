import { addUsage, NO_USAGE } from '../../models/token-usage.ts';
import type { TokenUsage } from '../../models/language-model.ts';
import { checkCount, checkPositive, invalidReturn } from '../../shared/options/option-values.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import type { Approval, ApproveFunction } from '../../tools/policy/approval.ts';
import type {
  AskBatchFunction,
  BatchDecision,
  BatchedApproval,
} from '../../tools/policy/batches/approval-batch.ts';
import { askPart, isApproved } from '../../tools/policy/batches/ask-part.ts';
import type { ApprovalRequest } from '../../tools/policy/approval-request.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { observeAs } from '../../tools/shapes/observed-shapes.ts';
import type { Tool } from '../../tools/tool.ts';

/**
 * The limits of one run. A run that reaches a limit ends with `RUN_LIMIT`, unless it has its
 * answer.
 */
export interface RunLimitOptions {
  /**
   * The largest number of tool calls, from code and direct. A call that the approver is asked about
   * counts even if it is rejected. Further calls fail without asking, and the run ends after their
   * turn. @default no limit
   */
  readonly maxToolCalls?: number;
  /**
   * The largest number of tokens that model calls may read and write in total. It is checked
   * between model calls, so the last call may exceed it. @default no limit
   */
  readonly maxTotalTokens?: number;
  /**
   * The largest total cost of the model calls, in the unit of `priceOf`. It is checked between
   * model calls, so the last call may exceed it. @default no limit
   */
  readonly maxCost?: number;
  /**
   * Returns the cost of a model call from the usage that its service reported and the model's id.
   * @default costs are not known
   */
  readonly priceOf?: (usage: TokenUsage, model: string) => number;
}

type Limit = 'maxToolCalls' | 'maxTotalTokens' | 'maxCost';

/** @throws PtcError `OPTION_INVALID`. */
export function checkRunLimits(options: RunLimitOptions): void {
  const { maxToolCalls = 0, maxTotalTokens = 1, maxCost = 1 } = options;
  checkCount('maxToolCalls', maxToolCalls, 0);
  checkCount('maxTotalTokens', maxTotalTokens, 1);
  checkPositive('maxCost', maxCost);
}

/** Counts what one run uses, and checks it against the limits. */
export class RunLimits {
  readonly #options: RunLimitOptions;
  #usage: TokenUsage = NO_USAGE;
  #cost = 0;
  #toolCalls = 0;
  #refusedCalls = 0;
  /**
   * The calls that were counted when the approver was asked, and that may still run: their ids, with
   * those of the requests. Another program of the run can use the id of a call again.
   */
  readonly #asked: Map<string, string> = new Map();

  /** @throws PtcError `OPTION_INVALID` for a `maxCost` without `priceOf`. */
  constructor(options: RunLimitOptions) {
    if (options.maxCost !== undefined && options.priceOf === undefined) {
      const message = 'maxCost needs priceOf, which returns the cost of a model call. Set both.';
      throw new PtcError('OPTION_INVALID', message, { details: { option: 'maxCost' } });
    }
    this.#options = options;
  }

  /** The usage that the services reported. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /**
   * Counts a model call. @throws PtcError `RUN_FAILED` if `priceOf` throws, `OPTION_INVALID` if it
   * does not return a price.
   */
  count(usage: TokenUsage, model: string): void {
    this.#usage = addUsage(this.#usage, usage);
    const { priceOf } = this.#options;
    if (priceOf === undefined) return;
    const price = priceFrom(priceOf, usage, model);
    if (typeof price !== 'number' || !(price >= 0)) {
      throw invalidReturn('priceOf', price, 'a number of at least 0');
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

  /**
   * Returns the same tools. Those that are looked up, as for each call, fail after the largest number
   * of calls. Its lists have the tools themselves, so that what was made of them is found again.
   */
  bound(tools: ToolSet): ToolSet {
    const { maxToolCalls } = this.#options;
    if (maxToolCalls === undefined) return tools;
    const set: ToolSet = {
      get: (name) => {
        const tool = tools.get(name);
        return tool && this.#current(this.#bound(tool, maxToolCalls), maxToolCalls);
      },
      list: () => tools.list(),
      forCaller: (caller) => tools.forCaller(caller),
      snapshot: () => set,
    };
    return set;
  }

  /** Returns the same policy, whose approver is not asked about further calls. */
  boundPolicy(policy: PolicyOptions | undefined): PolicyOptions | undefined {
    const { maxToolCalls } = this.#options;
    const approver = policy?.approver;
    if (maxToolCalls === undefined || policy === undefined || approver === undefined) return policy;
    const ask: ApproveFunction = async (request, options) => {
      if (!this.#take(maxToolCalls)) return { approved: false, reason: spent(maxToolCalls) };
      this.#asked.set(request.callId, request.id);
      const drop = (): void => this.#drop(request);
      // Nobody waits for the answer any more.
      options.signal.addEventListener('abort', drop, { once: true });
      let approval: Approval | undefined;
      try {
        approval = await (typeof approver === 'function'
          ? approver(request, options)
          : approver.ask(request, options));
        return approval;
      } finally {
        if (approval?.approved !== true || options.signal.aborted) drop();
      }
    };
    if (typeof approver === 'function' || approver.askBatch === undefined) {
      return { ...policy, approver: ask };
    }
    const askBatch = this.#boundBatches(approver.askBatch.bind(approver), maxToolCalls);
    return { ...policy, approver: { ask, askBatch } };
  }

  /** As for single calls: the approver is not asked about further ones. */
  #boundBatches(askAll: AskBatchFunction, maxToolCalls: number): AskBatchFunction {
    return async (batch, options) => {
      const decided: Record<string, BatchedApproval> = {};
      for (const { id, callId } of batch.requests) {
        if (this.#take(maxToolCalls)) this.#asked.set(callId, id);
        else decided[id] = { approved: false, reason: spent(maxToolCalls) };
      }
      let decision: BatchDecision = {};
      try {
        decision = await askPart(batch, options, askAll, decided);
        return decision;
      } finally {
        for (const request of batch.requests) {
          if (options.signal.aborted || !isApproved(decision, request.id)) this.#drop(request);
        }
      }
    };
  }

  /** Forgets a call that will not run. */
  #drop({ callId, id }: Pick<ApprovalRequest, 'callId' | 'id'>): void {
    if (this.#asked.get(callId) === id) this.#asked.delete(callId);
  }

  /** Counts a call. False if the run may not make it. */
  #take(maxToolCalls: number): boolean {
    if (this.#toolCalls >= maxToolCalls) {
      this.#refusedCalls += 1;
      return false;
    }
    this.#toolCalls += 1;
    return true;
  }

  /**
   * The tool for one call. If the call will be refused, its error is always shown, even if the tool
   * hides its errors.
   */
  #current(tool: Tool, maxToolCalls: number): Tool {
    return this.#toolCalls >= maxToolCalls ? { ...tool, errorDetails: 'message' } : tool;
  }

  #bound(tool: Tool, maxToolCalls: number): Tool {
    const bound: Tool = {
      ...tool,
      run: async (input, context) => {
        const isCounted = this.#asked.delete(context.callId);
        if (!isCounted && !this.#take(maxToolCalls)) throw new Error(spent(maxToolCalls));
        return tool.run(input, context);
      },
    };
    observeAs(tool, bound);
    return bound;
  }
}

function spent(maxToolCalls: number): string {
  return `this run has already made its ${maxToolCalls} tool calls; this call was not made`;
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
    `The run ${what}, and ${limit} is ${value}. Run again to continue, or raise ${limit}.`,
    { details: { limit, value, used } },
  );
}
