import { canonicalJson } from '../../shared/json/canonical-json.ts';
import type { JsonValue } from '../../shared/json/json.ts';
import type { CountLimits } from '../../tools/limits/count-limits.ts';
import type { Tool } from '../../tools/tool.ts';
import { timed } from '../timed.ts';
import type { ToolInvocation } from '../tool-invocation.ts';
import type { CountedBefore, ExceededLimit } from './call-counter.ts';

/** A call is not made, because its caller has made too many. */
export interface LimitRefusal {
  readonly passed: false;
  readonly type: 'LimitReached';
  readonly message: string;
}

/** A call and the limits of its tool. It is counted once, although it may be checked twice. */
export class CountedCall {
  readonly #tool: Tool;
  readonly #invocation: ToolInvocation;
  #isCounted: boolean;
  #exceeded: ExceededLimit | undefined;

  /** @param before - What was found when it was counted. @default it is not counted yet */
  constructor(tool: Tool, invocation: ToolInvocation, before?: CountedBefore) {
    this.#tool = tool;
    this.#invocation = invocation;
    this.#isCounted = before !== undefined;
    this.#exceeded = before?.exceeded;
  }

  /**
   * Counts the call, and returns the limit that it exceeds, if any.
   * @param limits - Those of the rule that applies.
   * @param canAsk - Whether there is an approver.
   */
  exceeds(limits: CountLimits | undefined, canAsk: boolean): ExceededLimit | undefined {
    if (this.#isCounted) return this.#exceeded;
    this.#isCounted = true;
    const { counter, onValidated } = this.#invocation;
    // Equal arguments are equal as JSON: 1 and 1.0 are, and the order of keys does not matter.
    const text = (): string => canonicalJson(this.#invocation.arguments as JsonValue);
    const argumentsText = (): string => timed(text, onValidated);
    this.#exceeded = counter.count({ tool: this.#tool, limits, canAsk, argumentsText });
    return this.#exceeded;
  }

  /** Refuses the call, and reports that. */
  refuse({ limit, reason }: ExceededLimit): LimitRefusal {
    const { toolName, caller, callId, onDecision, origin } = this.#invocation;
    const { sessionId, labels } = origin;
    const { annotations } = this.#tool;
    onDecision?.({
      ...{ toolName, caller, callId, sessionId, labels, annotations, reason, limit },
      arguments: this.#invocation.arguments,
      decision: 'denied',
      edited: false,
      request: undefined,
      grant: undefined,
    });
    return { passed: false, type: 'LimitReached', message: `${reason}; this call was not made` };
  }
}
