import { beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import type { Ledger, RunRecord } from './hostile-runner/ledger.ts';
import {
  BUDGETS,
  OUTPUT_LIMIT_BYTES,
  RUN_TIMEOUT_MS,
  STALE,
  STOP_WITHIN_MS,
  TICK_MS,
} from './hostile-runner/limits.ts';
import { playHostileSessions } from './hostile-runner/storm.ts';
import { grown, readHostResources, untilNothingIsLeft, type HostResources } from './remains.ts';

const SESSIONS = Number(process.env['SANDBOXED_PTC_HOSTILE_SESSIONS'] ?? 3000);
const SEED = Number(process.env['SANDBOXED_PTC_SEED'] ?? 1);
/** One line about what was left out, and no more of them than streams. */
const OMISSION_LENGTH = 100;
/** The most of each text of an error. */
const ERROR_TEXT_LENGTH = 32_768;
/** How long the host waits for files that a program is said to have left. */
const OUTPUT_FILES_MS = 10_000;
/** How much longer the host may take to give a result, in time of its event loop. */
const SLACK_MS = 2000;

/** A run of a hostile runner that came to a result. */
type EndedRun = RunRecord & { readonly result: ExecutionResult };

describe(`${SESSIONS} sandboxes whose supervisor is hostile (seed ${SEED})`, () => {
  const faults: string[] = [];
  const onFault = (fault: unknown): number => faults.push(String(fault));
  let ledger: Ledger;
  let ended: EndedRun[];
  let before: HostResources;

  beforeAll(async () => {
    for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
      process.on(event, onFault);
    }
    // What is loaded at the first use stays.
    await playHostileSessions(64, SEED + 1);
    before = await readHostResources();
    ledger = await playHostileSessions(SESSIONS, SEED);
    ended = ledger.runs.filter((run): run is EndedRun => run.result !== undefined);
    for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
      process.off(event, onFault);
    }
  });

  it('reach each kind of end, and each tool that they may call [host/statuses]', () => {
    const ends = [...ledger.ends.keys()];
    expect(ends).toEqual(
      expect.arrayContaining([
        ...[
          'ok',
          'error',
          'timeout',
          'budget-exceeded',
          'memory-limit',
          'protocol-error',
          'sandbox-lost',
        ],
        ...['SANDBOX_START_FAILED', 'FILE_FAILED', 'PROTOCOL_VIOLATION', 'ABORTED', 'file'],
      ]),
    );
    expect([...ledger.ran.keys()].sort()).toEqual(['echo', 'fails', 'large', 'slow', 'strict']);
    // Some are aborted before they start.
    expect(ledger.sandboxes.size).toBeGreaterThan(SESSIONS * 0.9);
    // What the other tests look at one by one.
    expect(ended.length).toBeGreaterThan(SESSIONS * 0.5);
    expect(ledger.runs.flatMap(({ replies }) => replies).length).toBeGreaterThan(SESSIONS * 0.1);
  });

  it('I1: are known by their connections, whatever their frames claim [every/printed-frames]', () => {
    expect(ledger.wrongIdentities).toEqual([]);
  });

  it('I2: cannot call a tool that code may not call, with wrong arguments, outside a run or beyond the budget [case 75, host/registered-tools]', () => {
    expect(ledger.forbiddenRuns).toEqual([]);
    expect(ledger.wrongArguments).toEqual([]);
    for (const { sessionId, runs } of ledger.sandboxes.values()) {
      const most = runs.length * BUDGETS.toolCalls;
      expect(ledger.carriedOut.get(sessionId) ?? 0).toBeLessThanOrEqual(most);
    }
  });

  it('I3: get at most one answer to each call, and none to a call that they did not make [case 74]', () => {
    for (const { calls, replies, unpredictable } of ledger.runs) {
      expect(new Set(replies).size).toBe(replies.length);
      if (!unpredictable) expect(replies.filter((id) => !calls.has(id))).toEqual([]);
    }
  });

  it('I4: cannot have more data kept or more calls made at once than the limits allow', () => {
    for (const { result } of ended) {
      const most = OUTPUT_LIMIT_BYTES + OMISSION_LENGTH;
      expect(result.stdout.length).toBeLessThanOrEqual(most);
      expect(result.stderr.length).toBeLessThanOrEqual(most);
      const { type = '', message = '', traceback = '' } = result.error ?? {};
      for (const text of [type, message, traceback]) {
        expect(text.length).toBeLessThanOrEqual(ERROR_TEXT_LENGTH);
      }
    }
    // Sessions run one program at a time, and the calls of one that was stopped end at once.
    expect(ledger.mostCallsAtOnce).toBe(BUDGETS.concurrentToolCalls);
  });

  it('I5: end for good if they break the protocol [host/survives, host/distrust-supervisor, host/distrust]', () => {
    const broken = ended.filter((run) => run.brokeProtocol && !run.unpredictable);
    expect(broken.length).toBeGreaterThan(SESSIONS / 20);
    for (const { result, sessionId } of broken) {
      expect(result).toMatchObject({ sessionOpen: false, success: false });
      // Its results may have passed their budget before, or its time may have been up.
      expect(['protocol-error', 'budget-exceeded', 'timeout', 'cancelled']).toContain(
        result.status,
      );
      expect(ledger.sandboxes.get(sessionId)).toMatchObject({ cut: true, gone: true });
    }
    const asProtocol = broken.filter(({ result }) => result.status === 'protocol-error');
    expect(asProtocol.length).toBeGreaterThan(broken.length * 0.9);
  });

  it('I6: send nothing that is evaluated or used as a key [host/no-evaluation]', () => {
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(Object, 'polluted')).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it('I6: send values that arrive unchanged, as objects that inherit nothing', () => {
    const handedOn = ended.filter(({ result }) => result.value !== undefined);
    expect(handedOn.length).toBeGreaterThan(SESSIONS / 50);
    for (const { result, sessionId, handedBack, unpredictable } of handedOn) {
      if (!unpredictable) expect(handedBack).toBe(true);
      expect(Object.entries(result.value ?? {})).toEqual([['constructor', sessionId]]);
      expect(Object.getPrototypeOf(result.value)).toBeNull();
    }
  });

  it('I7: cannot change a fact that the host knows itself [every/decided-status, host/distrust-supervisor, host/distrust]', () => {
    for (const { result, sessionId, calls, unpredictable } of ended) {
      expect(result.sessionId).toBe(sessionId);
      expect(result.success).toBe(result.status === 'ok');
      expect(result.error === undefined).toBe(result.success);
      if (!unpredictable) expect(result.toolCalls).toBeLessThanOrEqual(calls.size + 1);
      expect(Object.keys(result)).not.toContain('caller');
    }
  });

  it('I8: get no secret [host/tool-errors]', () => {
    expect(ledger.leaks).toEqual([]);
  });

  it('I9: add nothing to a result in the name of another run [case 76]', () => {
    for (const { result } of ended) expect(JSON.stringify(result)).not.toContain(STALE);
  });

  it('I10: run no longer than the host’s clock allows [host/clock]', () => {
    const longest = Math.max(...ended.map(({ tookTicks = 0 }) => tookTicks));
    const mostMs = RUN_TIMEOUT_MS + STOP_WITHIN_MS + OUTPUT_FILES_MS + SLACK_MS;
    expect(longest * TICK_MS).toBeLessThan(mostMs);
    const succeeded = ended.filter(
      ({ result }) => result.status === 'ok' && result.fileProblems.length === 0,
    );
    const latest = Math.max(...succeeded.map(({ tookTicks = 0 }) => tookTicks));
    expect(latest * TICK_MS).toBeLessThan(RUN_TIMEOUT_MS + SLACK_MS / 2);
  });

  it('I11: have their calls ended, then their connection cut, then their sandbox gone [host/closing-order]', () => {
    for (const sandbox of ledger.sandboxes.values()) {
      expect(sandbox).toMatchObject({ callsEndedBeforeClose: true, cut: true, gone: true });
    }
  });

  it('I12: disturb no other session, and each of their runs ends with a status or a typed error [host/survives, host/statuses]', () => {
    expect(ledger.disturbances).toEqual([]);
    expect(ledger.honestRuns).toBeGreaterThan(10);
    expect(ledger.wrongEnds).toEqual([]);
  });

  it('leave nothing behind', async () => {
    await untilNothingIsLeft(async () => grown(before, await readHostResources()));
    expect([...ledger.callsUnderWay.values()].filter((calls) => calls !== 0)).toEqual([]);
  });
});
