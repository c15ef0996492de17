import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditedCall, AuditEntry } from '../../src/audit/entry.ts';
import { PtcError } from '../../src/shared/errors.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import type { ToolCaller } from '../../src/tools/tool.ts';
import { CASES } from './cases.ts';
import { forgedCall, PROGRAMS, type ProgramLanguage } from './programs.ts';
import { approver, BUDGETS, LABELS, RULES, Shop } from './shop.ts';

/** An event of a program, a code tool or a run. */
export interface Told {
  readonly type: string;
  readonly runId?: string;
}
export type Listener = (event: Told) => void;

/** A way into the library that is open, with the labels of the shop. */
export interface OpenWay {
  /** Has a model run a program. @returns what the model gets. */
  readonly run?: (code: string, onEvent: Listener) => Promise<string>;
  /** Has a model call a tool directly. @returns what the model gets. */
  readonly call?: (identifier: string, input: object, onEvent: Listener) => Promise<string>;
}

export interface Way {
  /** The language of its programs. @default calls are direct */
  readonly language?: ProgramLanguage;
  /** Whether it tells of each call. */
  readonly hasEvents: boolean;
  /** What comes of a rule that asks, if the policy has no approver: a code of an error, or what the caller gets. */
  readonly withoutApprover: RegExp;
  readonly open: (shop: Shop, policy: PolicyOptions) => Promise<OpenWay>;
}

/** A call, what its caller got, and the events about it. */
interface Made {
  readonly told: string;
  readonly events: readonly Told[];
}

/** Tests that the rules hold for the calls of a way, as for those of each other way. */
export function describeWay(title: string, way: Way): void {
  const { language, hasEvents } = way;
  const caller = language === undefined ? 'direct' : 'code';
  describe(`a call ${title}`, () => {
    const shop = new Shop();
    let opened: OpenWay = {};
    beforeAll(async () => {
      opened = await way.open(shop, { rules: RULES, approver });
    });
    beforeEach(() => shop.forget());
    afterAll(async () => shop.close());

    const run = async (code: string): Promise<Made> => {
      const events: Told[] = [];
      const told = (await opened.run?.(code, (event) => events.push(event))) ?? '';
      return made(told, events);
    };
    const call = async (tool: string, input: object, at: OpenWay = opened): Promise<Made> => {
      const events: Told[] = [];
      const onEvent: Listener = (event) => events.push(event);
      const told =
        language === undefined
          ? await at.call?.(tool.replace(':', '_'), input, onEvent)
          : await at.run?.(PROGRAMS[language].call(tool, input), onEvent);
      return made(told ?? '', events);
    };

    it.each(CASES)('$what', async ({ tool, amount, told, ran, entries }) => {
      const { told: answer, events } = await call(tool, { amount });
      expect(answer).toMatch(told);
      expect(shop.ran.map(({ input }) => input)).toEqual(
        ran === undefined ? [] : [{ amount: ran }],
      );

      const recorded = shop.entries.filter(isOfCall);
      const [{ callId } = { callId: '' }] = recorded;
      const origin = originOf(shop.entries, caller);
      expect(recorded.map(summaryOf)).toEqual(entries.map((each) => expect.stringMatching(each)));
      for (const entry of recorded) {
        const given = entry['decision'] === 'edited' ? ran : amount;
        const about = { toolName: tool, caller, callId, arguments: { amount: given } };
        expect(entry).toMatchObject(about);
        expect(originIn(entry)).toEqual(origin);
      }
      if (hasEvents) {
        expect(events.map(summaryOf)).toEqual(eventsOf(recorded));
        for (const event of events) expect(event).toMatchObject({ toolName: tool, callId });
      }
      for (const { context } of shop.ran) {
        const { sessionId } = origin;
        const { callId: id = callId, runId } = context;
        expect(id).toBe(callId);
        if (context.caller !== undefined)
          expect(context).toMatchObject({ caller, labels: LABELS, sessionId });
        for (const event of events) expect(event.runId ?? runId).toBe(runId);
      }
    });

    it('of a rule that asks is refused without an approver', async () => {
      const other = new Shop();
      const tell = async (): Promise<string> => {
        const unapproved = await way.open(other, { rules: RULES });
        return (await call('shop:sell', { amount: 1 }, unapproved)).told;
      };
      const told = await tell().catch((error: unknown) =>
        PtcError.isInstance(error) ? error.code : String(error),
      );
      await other.close();
      expect(told).toMatch(way.withoutApprover);
      expect(other.ran).toEqual([]);
    });

    it.each(['shop:none', caller === 'code' ? 'only_direct' : 'only_code'])(
      'of %s, which the caller does not have, does not run',
      async (tool) => {
        const { told, events } = await call(tool, { amount: 1 });
        expect(told).toMatch(/[Tt]here is no tool|not defined|not a function|command not found/);
        expect(shop.ran).toEqual([]);
        expect(events).toEqual([]);
        // A program's call is not even sent.
        const sent = caller === 'code' ? [] : [tool];
        const recorded = shop.entries.filter(isOfCall);
        expect(recorded.map(({ toolName }) => toolName.replace(':', '_'))).toEqual(
          sent.map((name) => name.replace(':', '_')),
        );
        for (const entry of recorded) {
          const outcome = tool === 'only_code' ? 'NotAllowed' : 'UnknownTool';
          const callId = expect.stringMatching(/./);
          const about = { type: 'tool-call-ended', caller, callId, outcome };
          expect(entry).toMatchObject({ ...about, arguments: { amount: 1 } });
          expect(originIn(entry)).toEqual(originOf(shop.entries, caller));
        }
      },
    );

    it('with too large arguments does not run', async () => {
      const length = caller === 'code' ? 2000 : 2 ** 20;
      const { told } = await call('shop:pay', { amount: 1, note: 'x'.repeat(length) });
      expect(told).toMatch(/^InvalidArguments: /);
      expect(shop.ran).toEqual([]);
      // A program's call is not even sent.
      const sent = caller === 'code' ? [] : ['tool-call-ended InvalidArguments'];
      expect(shop.entries.filter(isOfCall).map(summaryOf)).toEqual(sent);
    });

    if (language === undefined) return;

    it('waits if the program has as many in progress as it may have', async () => {
      await run(PROGRAMS[language].crowd('shop:meet', { amount: 1 }));
      expect(shop.entries.filter(isOfCall).map(summaryOf)).toEqual(
        Array.from({ length: 6 }, () => 'tool-call-ended ok'),
      );
      expect(shop.mostAtOnce).toBeLessThanOrEqual(BUDGETS.concurrentToolCalls);
    });

    it('does not run if the program has made as many as it may make', async () => {
      const { told } = await run(PROGRAMS[language].endless('shop:pay', { amount: 1 }));
      expect(told).toContain('TooManyToolCalls');
      expect(shop.ran).toHaveLength(BUDGETS.toolCalls);
      expect(shop.entries).toContainEqual(
        expect.objectContaining({ type: 'program-ended', status: 'budget-exceeded' }),
      );
    });

    if (language !== 'python') return;

    it.each([
      ['shop:none', { amount: 1 }, 'UnknownTool'],
      ['only_direct', { amount: 1 }, 'NotAllowed'],
      ['shop:pay', { amount: 'x' }, 'InvalidArguments'],
      ['shop:close', { amount: 1 }, 'Denied'],
    ])('of %s that hostile code forges does not run', async (tool, input, type) => {
      const { told } = await run(forgedCall(tool, input));
      expect(told).toBe(type);
      expect(shop.ran).toEqual([]);
      const ended = shop.entries.find((entry) => entry.type === 'tool-call-ended');
      expect(ended).toMatchObject({ toolName: tool, caller, outcome: type, arguments: input });
      expect(originIn(ended)).toEqual(originOf(shop.entries, caller));
    });
  });
}

type CallEntry = Extract<AuditEntry, { readonly callId: string }> &
  Readonly<Record<string, unknown>>;

function isOfCall(entry: AuditEntry): entry is CallEntry {
  return 'callId' in entry;
}

type Origin = Pick<AuditedCall, 'sessionId' | 'programId' | 'labels'>;

/** Where the entries of a call must say that it came from: its program, or the labels of a direct call. */
function originOf(entries: readonly AuditEntry[], caller: ToolCaller): Origin {
  if (caller === 'direct') return { labels: LABELS };
  const program = entries.find((entry) => entry.type === 'program-started');
  return { sessionId: program?.sessionId, programId: program?.programId };
}

function originIn({ sessionId, programId, labels }: Partial<AuditedCall> = {}): Origin {
  return { sessionId, programId, labels };
}

/** What is compared of an entry or an event. */
interface About {
  readonly type: string;
  readonly decision?: string;
  readonly outcome?: string;
  readonly error?: { readonly type: string };
  readonly reason?: string;
}

/** The type of an entry or event, its decision or outcome, and its reason. */
function summaryOf(about: { readonly type: string }): string {
  const { type, decision, outcome, error, reason }: About = about;
  const ended = type === 'tool-call-ended' ? (outcome ?? error?.type ?? 'ok') : undefined;
  const words = [type, decision ?? ended].filter((word) => word !== undefined).join(' ');
  return reason === undefined ? words : `${words}: ${reason}`;
}

/** The summaries of the events that a listener gets where the log has these entries. */
function eventsOf(entries: readonly CallEntry[]): string[] {
  const told = entries.filter(({ type }) => type !== 'tool-call-denied');
  const summaries = told.map((entry) =>
    summaryOf(entry).replace('approval-decided edited', 'approval-decided approved'),
  );
  return ['tool-call-started', ...summaries];
}

/** @param told - From a program, an error has the name of the tool before its type. */
function made(told: string, events: readonly Told[]): Made {
  const text = told.trim().replace(/^[\w.]+ failed \((\w+)\): /, '$1: ');
  return { told: text, events: events.filter((event) => 'callId' in event) };
}
