import {
  anyFileAnswer,
  anyOutcome,
  attachedFrame,
  callFrame,
  chunkFrame,
  mutated,
  outcomeFrame,
  readyFrame,
  valueFrame,
  violation,
} from './frames.ts';
import type { RunRecord } from './ledger.ts';
import { BUDGETS, STALE } from './limits.ts';
import { chance, oneOf } from './random.ts';
import type { HostileRunner } from './runner.ts';

type Act = (runner: HostileRunner, run: RunRecord) => void;

const POLLUTED = JSON.parse(
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
);

/** Says its first words. */
export function start(runner: HostileRunner): void {
  const { random } = runner;
  if (!chance(random, 50)) return runner.say(readyFrame());
  const first = oneOf<() => void>(random, [
    () =>
      runner.say(
        { stream: 'stdout', text: 'banner\n__PTC_' },
        { stream: 'stdout', text: '\n' },
        readyFrame(),
      ),
    () => runner.say(readyFrame(), readyFrame()),
    () => runner.say(readyFrame(), attachedFrame()),
    () => runner.say(readyFrame(), violation(random, '1')),
    () =>
      runner.say(callFrame('1', 'early', 'echo', { forbidden: 'before any run' }), readyFrame()),
    () =>
      runner.say(readyFrame(), callFrame('0', 'early', 'echo', { forbidden: 'before any run' })),
    () => runner.say(attachedFrame()),
    () => runner.say(readyFrame(7)),
    () => runner.say(mutated(random, readyFrame())),
    () => runner.write(Buffer.from('HTTP/1.1 500 no attach stream\r\n\r\n')),
    () => runner.leave(),
    () => runner.say({ stream: 'stdout', text: 'x'.repeat(random.integer(1, 100_000)) }),
  ]);
  first();
}

/** Does some of what it can in a run, then ends it in one way or another, or does not. */
export function act(runner: HostileRunner, run: RunRecord): void {
  const { random } = runner;
  for (let left = random.integer(0, 5); left > 0; left -= 1) random.weighted(ACTS)(runner, run);
  const end = random.weighted(ENDS);
  // Calls under way are answered first, or are not.
  if (chance(random, 300)) runner.later(random.integer(1, 30), () => end(runner, run));
  else end(runner, run);
}

/** Heeds a cancellation, or does not. */
export function endRun(runner: HostileRunner, executionId: string): void {
  if (chance(runner.random, 800)) runner.say(anyOutcome(runner.random, executionId));
}

/** Answers a request about a file, in one way or another, or does not. */
export function answerFile(runner: HostileRunner, requestId: string): void {
  const { random } = runner;
  if (chance(random, 900)) runner.say(anyFileAnswer(random, requestId));
  if (chance(random, 50)) runner.say(anyFileAnswer(random, requestId));
  if (chance(random, 50)) runner.say(mutated(random, anyFileAnswer(random, requestId)));
}

/** Makes a call that the host may answer. */
function call(runner: HostileRunner, run: RunRecord, tool: string, args: unknown): void {
  const id = `c${run.calls.size}`;
  run.calls.add(id);
  runner.say(callFrame(run.executionId, id, tool, args));
}

const ACTS: readonly (readonly [Act, number])[] = [
  [(runner, run) => call(runner, run, 'echo', { from: runner.sessionId }), 6],
  [(runner, run) => call(runner, run, 'strict', { n: runner.random.integer(1, 5) }), 3],
  [(runner, run) => call(runner, run, 'slow', { from: runner.sessionId }), 3],
  [(runner, run) => call(runner, run, 'large', {}), 2],
  [(runner, run) => call(runner, run, 'fails', {}), 2],
  [(runner, run) => call(runner, run, 'direct', {}), 4],
  [callUnknown, 4],
  [(runner, run) => call(runner, run, 'strict', badNumber(runner)), 4],
  [(runner, run) => call(runner, run, 'echo', { ...POLLUTED, from: runner.sessionId }), 2],
  [(runner, run) => call(runner, run, 'echo', POLLUTED), 2],
  [(runner, run) => runner.say(chunkFrame(run.executionId, 'text\u001b[2J%s${7*7}')), 5],
  [(runner, run) => runner.say(chunkFrame(run.executionId, '', 1_000_000)), 2],
  [omissions, 1],
  [speakOfAnotherRun, 5],
  [floodOfStale, 1],
  [repeatCall, 2],
  [handBack, 4],
  [floodOfCalls, 2],
  [manySlowCalls, 2],
  [breakProtocol, 4],
  [sayMutated, 4],
];

const ENDS: readonly (readonly [Act, number])[] = [
  [(runner, run) => runner.say(anyOutcome(runner.random, run.executionId)), 100],
  [(runner, run) => runner.say(outcomeFrame(run.executionId)), 40],
  [outcomeTwice, 15],
  [callAfterOutcome, 15],
  [valueAfterOutcome, 15],
  [longError, 5],
  [(runner) => runner.leave(), 10],
  [leaveWithinFrame, 10],
  [(runner) => runner.write(Buffer.from([9, 9, 9, 9, 9, 9, 9, 9, 9])), 5],
  // Nothing more, or nothing that ends: the host's own clock must see to it.
  [() => {}, 3],
  [lineWithoutEnd, 2],
  [chatter, 2],
];

function callUnknown(runner: HostileRunner, run: RunRecord): void {
  const names = [
    'constructor',
    '__proto__',
    'toString',
    '',
    'Echo',
    'echo ',
    '../echo',
    '%s',
    'c0',
  ];
  call(runner, run, oneOf(runner.random, names), { from: runner.sessionId });
}

function badNumber({ random }: HostileRunner): unknown {
  return oneOf<unknown>(random, [
    {},
    { n: 0 },
    { n: 6 },
    { n: '1' },
    { n: 1.5 },
    { n: null },
    { n: [1] },
    { n: 1, extra: true },
    { n: 1, constructor: 1 },
    { toString: 1 },
    { N: 1 },
  ]);
}

function anyFrame(
  { random }: HostileRunner,
  { executionId }: RunRecord,
): ReturnType<typeof chunkFrame> {
  return oneOf(random, [
    chunkFrame(executionId, 'mutated'),
    // Its id is one that no right call has.
    callFrame(executionId, 'm', 'strict', { n: 3 }),
    outcomeFrame(executionId),
  ]);
}

function sayMutated(runner: HostileRunner, run: RunRecord): void {
  run.unpredictable = true;
  runner.say(mutated(runner.random, anyFrame(runner, run)));
}

function omissions(runner: HostileRunner, run: RunRecord): void {
  for (let left = 200; left > 0; left -= 1) runner.say(chunkFrame(run.executionId, '', 1e15));
}

/** Of one that is over: nothing of it counts. */
function speakOfAnotherRun(runner: HostileRunner, run: RunRecord): void {
  const other = String(runner.random.integer(0, Number(run.executionId) - 1));
  runner.say(
    chunkFrame(other, STALE),
    callFrame(other, 'stale', 'echo', { forbidden: 'a stale execution' }),
    valueFrame(other, STALE),
    outcomeFrame(other, { value: STALE }),
  );
}

function floodOfStale(runner: HostileRunner, run: RunRecord): void {
  const other = String(Number(run.executionId) - 1);
  for (let left = 100; left > 0; left -= 1) {
    runner.say(callFrame(other, `stale${left}`, 'echo', { forbidden: 'a stale execution' }));
  }
}

function repeatCall(runner: HostileRunner, run: RunRecord): void {
  call(runner, run, 'echo', { from: runner.sessionId });
  const id = `c${run.calls.size - 1}`;
  runner.say(callFrame(run.executionId, id, 'echo', { forbidden: 'a repeated id' }));
  run.brokeProtocol = true;
}

function floodOfCalls(runner: HostileRunner, run: RunRecord): void {
  for (let left = BUDGETS.toolCalls + 1; left > 0; left -= 1) call(runner, run, 'echo', {});
}

function manySlowCalls(runner: HostileRunner, run: RunRecord): void {
  for (let left = 8; left > 0; left -= 1) call(runner, run, 'slow', { from: runner.sessionId });
}

function breakProtocol(runner: HostileRunner, run: RunRecord): void {
  runner.say(violation(runner.random, run.executionId));
  run.brokeProtocol = true;
}

function outcomeTwice(runner: HostileRunner, run: RunRecord): void {
  runner.say(
    anyOutcome(runner.random, run.executionId),
    outcomeFrame(run.executionId, { value: STALE, success: false }),
    chunkFrame(run.executionId, STALE),
  );
}

/** A second value is one too many. */
function handBack(runner: HostileRunner, run: RunRecord): void {
  if (run.handedBack) run.brokeProtocol = true;
  run.handedBack = true;
  runner.say(valueFrame(run.executionId, { constructor: runner.sessionId }));
}

function valueAfterOutcome(runner: HostileRunner, run: RunRecord): void {
  runner.say(
    anyOutcome(runner.random, run.executionId),
    valueFrame(run.executionId, STALE),
    valueFrame(run.executionId, STALE),
  );
}

function callAfterOutcome(runner: HostileRunner, run: RunRecord): void {
  const forbidden = { forbidden: 'after the outcome' };
  runner.say(
    outcomeFrame(run.executionId),
    callFrame(run.executionId, 'after', 'echo', forbidden),
    callFrame(String(Number(run.executionId) + 7), 'next', 'echo', forbidden),
  );
}

function longError(runner: HostileRunner, run: RunRecord): void {
  const text = 'e'.repeat(60_000);
  const error = { type: text, message: text, line: 1, traceback: text };
  runner.say(outcomeFrame(run.executionId, { success: false, error }));
}

function leaveWithinFrame(runner: HostileRunner, run: RunRecord): void {
  const { stream, text } = outcomeFrame(run.executionId);
  runner.say({ stream, text: text.slice(0, runner.random.integer(1, text.length - 1)) });
  runner.leave();
}

function lineWithoutEnd(runner: HostileRunner): void {
  const piece = { stream: 'stdout', text: 'x'.repeat(20_000) } as const;
  runner.say({ stream: 'stdout', text: '__PTC_OUTPUT_DELTA__{"text":"' });
  for (let left = 20; left > 0; left -= 1) runner.later(left * 100, () => runner.say(piece));
}

function chatter(runner: HostileRunner, run: RunRecord): void {
  for (let left = 40; left > 0; left -= 1) {
    runner.later(left * 50, () => runner.say(chunkFrame(run.executionId, '.')));
  }
}
