import assert from 'node:assert/strict';
import { assertMatches } from '../assert-matches.ts';
import type { ExpectedCall } from './cases.ts';
import { eventsOf, isOfCall, originIn, originOf, summaryOf } from './entries.ts';
import { LABELS } from './shop.ts';
import { WAY_PROGRAMS } from './programs.ts';
import type { WayBench } from './way-bench.ts';

/** Makes a call, and checks what its caller gets, what runs, the audit log and the events. */
export async function checkCall(
  bench: WayBench,
  { tool, amount, told, ran, entries }: ExpectedCall,
): Promise<void> {
  const { way, caller, shop } = bench;
  const { told: answer, events } = await bench.call(tool, { amount });
  assert.match(answer, told);
  checkRan(bench, ran === undefined ? [] : [{ amount: ran }]);

  const recorded = shop.entries.filter(isOfCall);
  assertMatches(recorded.map(summaryOf), entries);
  const { callId, programId, runId: programRunId } = recorded[0] ?? {};
  const origin = originOf(shop.entries, caller);
  const line = way.language && WAY_PROGRAMS[way.language].lineOfCall;
  let given = amount;
  for (const entry of recorded) {
    if (entry['decision'] === 'edited') given = ran;
    assertMatches(entry, { toolName: tool, caller, callId, arguments: { amount: given } });
    assert.deepEqual(originIn(entry), origin);
    assert.equal(entry.line, line);
  }
  if (way.hasEvents === true) {
    assert.deepEqual(events.map(summaryOf), eventsOf(recorded));
    const program = caller === 'code' ? { programId, runId: programRunId } : {};
    for (const event of events) assertMatches(event, { toolName: tool, callId, line, ...program });
  }
  for (const { context } of shop.ran) {
    const { callId: id = callId, runId } = context;
    assert.equal(id, callId);
    if (context.caller !== undefined) {
      assertMatches(context, { caller, labels: LABELS, sessionId: origin.sessionId });
    }
    // Tools whose calls are answered elsewhere do not know the run.
    if (runId === undefined) continue;
    for (const event of events) assert.equal(event.runId ?? runId, runId);
  }
}

/** Checks which arguments the tools got. */
export function checkRan({ shop }: WayBench, inputs: readonly object[]): void {
  const ran = shop.ran.map(({ input }) => input);
  assert.deepEqual(ran, inputs, 'These calls ran, with these arguments.');
}
