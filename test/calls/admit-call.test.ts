import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { validate } from '../../src/calls/admit-call.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';

const WAIT_MS = 400;
/** What the kernel counts processor time in, for programs. */
const TICK_MS = 10;

/** The processor time of the other threads of this process, such as those of V8, which also counts as that of the check. */
function ofOthersMs(): number {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
  // After the name of the program, which may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (user + system) / 1000 - (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

it('does not count the time in which a check had no processor', () => {
  const tool = defineTool({ name: 'add', description: 'Adds.', run: () => 1 });
  // As if the machine had let others run meanwhile.
  const slow = {
    ...tool,
    validateInput: (sent: unknown) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
      return tool.validateInput(sent);
    },
  };
  const durations: number[] = [];
  const before = ofOthersMs();
  const admission = validate(slow, {
    toolName: 'add',
    arguments: {},
    caller: 'code',
    callId: '1',
    counter: programCounter(),
    origin: callOrigin(),
    signal: new AbortController().signal,
    onValidated: (durationMs) => durations.push(durationMs),
  });
  expect(admission).toMatchObject({ passed: true });
  expect(durations).toHaveLength(1);
  const others = ofOthersMs() - before;
  expect(durations[0]! - others).toBeLessThan(WAIT_MS / 2);
});
