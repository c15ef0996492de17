import { readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { validate } from '../../src/calls/admit-call.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';

const WAIT_MS = 400;
const HOUR_MS = 3_600_000;
/** What the kernel counts processor time in, for programs. */
const TICK_MS = 10;

function ofProcessMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The processor time of the other threads of this process, such as those of V8, which also counts as that of the check. */
function ofOthersMs(): number {
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
  // After the name of the program, which may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ofProcessMs() - (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

afterEach(() => {
  vi.useRealTimers();
});

/** Checks a call, with a pause as if the machine had let others run meanwhile. Returns how long the check counts. */
function checkFor(pauseMs: number): number {
  const tool = defineTool({ name: 'add', description: 'Adds.', run: () => 1 });
  const slow = {
    ...tool,
    validateInput: (sent: unknown) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
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
  return durations[0]!;
}

it('does not count the time in which a check had no processor', () => {
  const before = ofOthersMs();
  const durationMs = checkFor(WAIT_MS);
  expect(durationMs - (ofOthersMs() - before)).toBeLessThan(WAIT_MS / 2);
});

it('does not count what was computed before, also if a fake clock was ahead then', () => {
  vi.useFakeTimers({ now: 0 });
  vi.advanceTimersByTime(HOUR_MS);
  checkFor(1);
  vi.useRealTimers();
  const start = ofProcessMs();
  while (ofProcessMs() - start < WAIT_MS);
  const before = ofOthersMs();
  const durationMs = checkFor(WAIT_MS);
  expect(durationMs - (ofOthersMs() - before)).toBeLessThan(WAIT_MS / 2);
});
