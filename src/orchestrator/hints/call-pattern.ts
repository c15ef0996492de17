import type { CallLog, LoggedCall } from '../../calls/call-log.ts';
import { EqualCalls } from '../../calls/limits/equal-calls.ts';
import type { ToolOutcome } from '../../calls/tool-outcome.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import type { CallFacts, CallSeries } from './choose-hint.ts';
import { JsonValues } from './json-values.ts';

/** Of how many tools the calls are looked at. */
const MOST_TOOLS = 50;
/** How many calls that have not ended are known. */
const MOST_OPEN = 1000;
/** How many values of arguments and results are known: about 200 kB. */
const MOST_VALUES = 5000;
/** How much of arguments and results is read, in UTF-16 units. It takes about 2 ms. */
const MOST_TEXT = 200_000;

/** The calls of one tool. */
interface ToolCalls {
  readonly toolName: string;
  calls: number;
  totalMs: number;
  longestMs: number;
  /** Whether they were made one after another, each with arguments of its own. */
  isSeries: boolean;
}

interface OpenCall {
  readonly tool: ToolCalls;
  startedAt: number;
}

/**
 * What a program does with its calls, as the host sees it: which it makes one after another although
 * none needs the result of another, and which it makes again and again. What it keeps of them is
 * bounded, and results are kept as digests.
 */
export class CallPattern {
  readonly #tools: Map<string, ToolCalls> = new Map();
  readonly #open: Map<string, OpenCall> = new Map();
  readonly #equal: EqualCalls = new EqualCalls();
  /**
   * The tool whose result had a value first; undefined for one that an argument had first. The map is
   * undefined if there were more values than it may have.
   */
  #values: Map<number, ToolCalls | undefined> | undefined = new Map();
  #textLength = 0;
  #repeated: { readonly toolName: string; readonly calls: number } | undefined;

  /** Returns a log that looks at each call, and passes it on to another log. */
  logWith(log: CallLog): CallLog {
    return {
      deferred: async (call) => {
        // It is made when the program has ended, one after another with the others.
        this.asked(call.toolName);
        await log.deferred?.(call);
      },
      started: async (call) => {
        const open = this.#begin(call);
        await log.started(call);
        if (open !== undefined) open.startedAt = performance.now();
      },
      ended: async (call, outcome) => {
        this.#end(call, outcome);
        await log.ended(call, outcome);
      },
    };
  }

  /** People decide about its calls one after another, so the program need not have done so. */
  asked(toolName: string): void {
    const tool = this.#toolOf(toolName);
    if (tool !== undefined) tool.isSeries = false;
  }

  /**
   * @param tools - Those of the program.
   * @param mostAtOnce - How many of its calls can run at a time.
   */
  facts(tools: Pick<ToolSet, 'get'>, mostAtOnce: number): CallFacts {
    const nameOf = (toolName: string): string => tools.get(toolName)?.identifier ?? toolName;
    const series = (this.#values === undefined ? [] : [...this.#tools.values()])
      .filter(({ isSeries }) => isSeries)
      .map(({ toolName, calls, totalMs, longestMs }): CallSeries => {
        const concurrency = Math.min(mostAtOnce, tools.get(toolName)?.concurrency ?? mostAtOnce);
        return { name: nameOf(toolName), calls, totalMs, longestMs, concurrency };
      });
    const repeated = this.#repeated;
    return {
      series,
      repeated: repeated && { name: nameOf(repeated.toolName), calls: repeated.calls },
    };
  }

  #begin({ toolName, callId, argumentsText }: LoggedCall): OpenCall | undefined {
    const calls = this.#equal.count(toolName, argumentsText);
    if (calls > (this.#repeated?.calls ?? 1)) this.#repeated = { toolName, calls };
    const tool = this.#toolOf(toolName);
    if (tool === undefined || this.#values === undefined) return undefined;
    if (calls > 1) tool.isSeries = false;
    if (this.#open.size > 0) {
      tool.isSeries = false;
      // If there are more, they have overlapped already.
      if (this.#open.size === 1) for (const open of this.#open.values()) open.tool.isSeries = false;
    }
    this.#addArguments(tool, argumentsText);
    if (this.#open.size >= MOST_OPEN) this.#stopReading();
    const open = { tool, startedAt: performance.now() };
    this.#open.set(callId, open);
    return open;
  }

  #end({ callId }: LoggedCall, outcome: ToolOutcome): void {
    const open = this.#open.get(callId);
    if (open === undefined) return;
    this.#open.delete(callId);
    const { tool, startedAt } = open;
    const durationMs = performance.now() - startedAt;
    tool.calls += 1;
    tool.totalMs += durationMs;
    tool.longestMs = Math.max(tool.longestMs, durationMs);
    if (outcome.ok) this.#addResult(tool, outcome.result.text);
  }

  #addArguments(tool: ToolCalls, text: string): void {
    this.#read(text, false, (value) => {
      if (this.#values?.get(value) === tool) tool.isSeries = false;
      this.#add(value, undefined);
    });
  }

  #addResult(tool: ToolCalls, text: string): void {
    this.#read(text, true, (value) => this.#add(value, tool));
  }

  #read(text: string, withNames: boolean, tell: (value: number) => void): void {
    this.#textLength += text.length;
    if (this.#textLength > MOST_TEXT) this.#stopReading();
    else if (this.#values !== undefined) new JsonValues(text, withNames, tell).read();
  }

  #add(value: number, first: ToolCalls | undefined): void {
    if (this.#values === undefined || this.#values.has(value)) return;
    if (this.#values.size < MOST_VALUES) this.#values.set(value, first);
    else this.#stopReading();
  }

  /** Without all values, it cannot be known which call needed the result of another. */
  #stopReading(): void {
    this.#values = undefined;
    this.#open.clear();
  }

  #toolOf(toolName: string): ToolCalls | undefined {
    const known = this.#tools.get(toolName);
    if (known !== undefined || this.#tools.size >= MOST_TOOLS) return known;
    const tool = { toolName, calls: 0, totalMs: 0, longestMs: 0, isSeries: true };
    this.#tools.set(toolName, tool);
    return tool;
  }
}
