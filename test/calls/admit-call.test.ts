import { expect, it } from 'vitest';
import { validate } from '../../src/calls/admit-call.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';

const WAIT_MS = 400;

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
  // Other threads of this process may use the processor for some milliseconds.
  expect(durations[0]).toBeLessThan(WAIT_MS / 2);
});
