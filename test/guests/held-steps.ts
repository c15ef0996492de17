import type { ExecutionResult } from '../../src/execution/execution.ts';
import { defineRemoteTool } from '../../src/tools/remote-tool.ts';
import type { Bench } from '../../src/testing/bench.ts';

const look = defineRemoteTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
});

/** What a held program called at each wait, and how it ended. */
export interface HeldSteps {
  /** The numbers with which it called `look`, of all calls that were open. */
  readonly waits: readonly (readonly number[])[];
  readonly result: ExecutionResult;
}

/**
 * Holds a program that calls `look` with a number, and answers each call with ten times the number.
 * @param most - How many calls are answered at each wait. @default all
 */
export async function heldSteps(bench: Bench, code: string, most = Infinity): Promise<HeldSteps> {
  const held = await bench.start(code, { tools: [look] });
  const waits: (readonly number[])[] = [];
  for (;;) {
    const step = await held.next();
    if (step.state === 'ended') return { waits, result: step.result };
    const calls = step.calls.map((call) => ({ ...call, x: (call.arguments as { x: number }).x }));
    waits.push(calls.map(({ x }) => x).sort((a, b) => a - b));
    for (const { callId, x } of calls.slice(0, most)) held.answer(callId, { result: x * 10 });
  }
}
