import assert from 'node:assert/strict';
import { PtcError } from '../../shared/errors.ts';
import { assertMatches } from '../assert-matches.ts';
import { CASES } from './cases.ts';
import { checkCall, checkRan } from './check-call.ts';
import { isOfCall, originIn, originOf, summaryOf } from './entries.ts';
import type { PolicyTest, PolicyTestGroup } from './policy-test.ts';
import { RULES } from './rules.ts';
import type { Way } from './way.ts';
import { WayBench, type Made } from './way-bench.ts';

/** Calls from programs, and direct ones. */
export function calls(way: Way): PolicyTestGroup {
  const unknown = ['shop:none', way.language === undefined ? 'only_code' : 'only_direct'];
  return {
    name: 'calls',
    tests: [
      ...CASES.map((expected) => ({
        title: `a call ${expected.what}`,
        run: async (bench: WayBench) => checkCall(bench, expected),
      })),
      { title: 'a call that exceeds a limit of its session does not run', run: exceedLimit },
      {
        title: 'a call of a rule that asks is refused without an approver',
        run: askWithoutApprover,
      },
      ...unknown.map(callUnknown),
      { title: 'a call with too large arguments does not run', run: sendTooMuch },
    ],
  };
}

async function exceedLimit({ way }: WayBench): Promise<void> {
  // In a session of its own, so that it can be run again.
  await using bench = new WayBench(way);
  const { caller, shop } = bench;
  const spent =
    'this session has already made 2 calls of this tool, which is as many as it may make (maxCalls.session)';
  const inputs = [1, 2, 3].map((amount) => ({ amount }));
  const called: Made[] = [];
  for (const input of inputs) called.push(await bench.call('shop:order', input));
  assert.deepEqual(
    called.map(({ told }) => told),
    ['1', '2', `LimitReached: ${spent}; this call was not made`],
  );
  checkRan(bench, inputs.slice(0, 2));
  const recorded = shop.entries.filter(isOfCall);
  assert.deepEqual(recorded.map(summaryOf), [
    'tool-call-ended ok',
    'tool-call-ended ok',
    `tool-call-denied: ${spent}`,
    'tool-call-ended LimitReached',
  ]);
  assertMatches(recorded[2], { toolName: 'shop:order', caller, limit: 'maxCalls.session' });
  if (way.hasEvents !== true) return;
  assert.deepEqual(called[2]?.events.map(summaryOf), [
    'tool-call-started',
    'tool-call-ended LimitReached',
  ]);
}

async function askWithoutApprover({ way }: WayBench): Promise<void> {
  await using bench = new WayBench(way, { rules: RULES });
  const told = await bench.call('shop:sell', { amount: 1 }).then(
    (made) => made.told,
    (error: unknown) => (PtcError.isInstance(error) ? error.code : String(error)),
  );
  assert.match(told, way.withoutApprover ?? /^OPTION_INVALID$/);
  checkRan(bench, []);
}

/** A call of a tool that the caller does not have. */
function callUnknown(tool: string): PolicyTest {
  return {
    title: `a call of ${tool}, which the caller does not have, does not run`,
    run: async (bench) => {
      const { caller, shop } = bench;
      const { told, events } = await bench.call(tool, { amount: 1 });
      assert.match(told, /[Tt]here is no tool|not defined|not a function|command not found/);
      checkRan(bench, []);
      assert.deepEqual(events, []);
      // A program's call is not even sent.
      const sent = caller === 'code' ? [] : [tool];
      const recorded = shop.entries.filter(isOfCall);
      assert.deepEqual(
        recorded.map(({ toolName }) => toolName.replace(':', '_')),
        sent.map((name) => name.replace(':', '_')),
      );
      for (const entry of recorded) {
        const outcome = tool === 'only_code' ? 'NotAllowed' : 'UnknownTool';
        const about = { type: 'tool-call-ended', caller, callId: /./, outcome };
        assertMatches(entry, { ...about, arguments: { amount: 1 } });
        assert.deepEqual(originIn(entry), originOf(shop.entries, caller));
      }
    },
  };
}

async function sendTooMuch(bench: WayBench): Promise<void> {
  const { caller, shop } = bench;
  const length = caller === 'code' ? 2000 : 2 ** 20;
  const { told } = await bench.call('shop:pay', { amount: 1, note: 'x'.repeat(length) });
  assert.match(told, /^InvalidArguments: /);
  checkRan(bench, []);
  // A program's call is not even sent.
  const sent = caller === 'code' ? [] : ['tool-call-ended InvalidArguments'];
  assert.deepEqual(shop.entries.filter(isOfCall).map(summaryOf), sent);
}
