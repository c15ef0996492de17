import assert from 'node:assert/strict';
import type { ToolCaller } from '../../tools/tool.ts';
import { ApprovalGrants } from '../../tools/policy/grants/approval-grants.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { WAY_PROGRAMS } from './programs.ts';
import { approverOf, RULES } from './rules.ts';
import { BUDGETS, LABELS, Shop } from './shop.ts';
import type { OpenWay, Way, WayEvent } from './way.ts';

/** What the model got, and the events about calls. */
export interface Made {
  readonly told: string;
  readonly events: readonly WayEvent[];
}

/** A way that the first call or program opens. */
export class WayBench implements AsyncDisposable {
  readonly way: Way;
  readonly caller: ToolCaller;
  readonly shop: Shop = new Shop();
  readonly grants: ApprovalGrants = new ApprovalGrants();
  readonly #policy: PolicyOptions;
  readonly #closing: (() => Promise<unknown>)[] = [];
  #opened: Promise<OpenWay> | undefined;

  /** @param policy - The policy. @default all rules, an approver and grants */
  constructor(way: Way, policy?: PolicyOptions) {
    this.way = way;
    this.caller = way.language === undefined ? 'direct' : 'code';
    const approver = approverOf((calls) => this.shop.batches.push(calls));
    this.#policy = policy ?? { rules: RULES, approver, grants: this.grants };
  }

  /** Runs a program. */
  async run(code: string): Promise<Made> {
    const { run } = await this.#open();
    assert.ok(run, 'open must return a function run, because the way has a language.');
    return made(async (onEvent) => run(code, onEvent));
  }

  /** Calls a tool, from a program that prints the result or the error, or directly. */
  async call(tool: string, input: object): Promise<Made> {
    const { language } = this.way;
    if (language !== undefined) return this.run(WAY_PROGRAMS[language].call(tool, input));
    const { call } = await this.#open();
    assert.ok(call, 'open must return a function call, because the way has no language.');
    return made(async (onEvent) => call(tool.replace(':', '_'), input, onEvent));
  }

  /** @throws AssertionError if a session remains, or what a function of `onClose` throws, when all were called. */
  async close(): Promise<void> {
    // What is still opened registers what ends it.
    await this.#opened?.catch(() => {});
    const failures: unknown[] = [];
    for (const close of this.#closing.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    assert.deepEqual(this.shop.openSessions, [], 'Sessions remain after the way was closed.');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #open(): Promise<OpenWay> {
    const { tools, audit } = this.shop;
    this.#opened ??= this.way.open({
      ...{ tools, audit, policy: this.#policy, budgets: BUDGETS, labels: LABELS },
      onClose: (close) => void this.#closing.push(close),
    });
    return this.#opened;
  }
}

async function made(act: (onEvent: (event: WayEvent) => void) => Promise<string>): Promise<Made> {
  const events: WayEvent[] = [];
  const told: unknown = await act((event) => void events.push(event));
  assert.ok(typeof told === 'string', 'run and call must return text: what the model gets.');
  // From a program, an error has the name of the tool before its type.
  const text = told.trim().replace(/^[\w.]+ failed \((\w+)\): /, '$1: ');
  return { told: text, events: events.filter((event) => 'callId' in event) };
}
