import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { LongCodeTools } from '../../src/ai-sdk/code/long-code-tools.ts';
import type { CodeAnswer } from '../../src/orchestrator/code/code-answer.ts';
import type { CodeEvent } from '../../src/orchestrator/code/code-event.ts';
import type { CodeTool } from '../../src/orchestrator/code/code-tool.ts';

const RUNS = { text: '', program: '499aab18' } as CodeAnswer;
const READ = { text: 'its end', result: {} } as CodeAnswer;
const OTHER = { text: 'refused' } as CodeAnswer;
const STARTED = { type: 'program-started' } as CodeEvent;
const ENDED = { type: 'program-ended' } as CodeEvent;
const FOUR_MINUTES_MS = 240_000;
const LAST_MINUTE_MS = 60_000;

type Tell = (event: CodeEvent) => void;

let tools: LongCodeTools;
let made: number;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  tools = new LongCodeTools();
  made = 0;
});

/** Makes a call in the chat, and counts the code tools that calls needed. */
async function use(call: (tell: Tell) => Promise<CodeAnswer>): Promise<CodeAnswer> {
  const create = (): CodeTool => ({ number: (made += 1) }) as unknown as CodeTool;
  return tools.use('chat', create, async (_, tell) => call(tell));
}

/** Starts a program that outlasts its call, and returns what tells of it. */
async function startLong(): Promise<Tell> {
  let tellLater: Tell = () => {};
  await use(async (tell) => {
    tell(STARTED);
    tellLater = tell;
    return RUNS;
  });
  return tellLater;
}

it('the end of a program that no call has read is kept for five minutes', async () => {
  const tell = await startLong();
  tell(ENDED);
  vi.advanceTimersByTime(FOUR_MINUTES_MS);
  await use(async () => OTHER);
  expect(made).toBe(1);
  vi.advanceTimersByTime(LAST_MINUTE_MS);
  await use(async () => OTHER);
  expect(made).toBe(2);
});

it('a call that is made meanwhile has it to its end', async () => {
  const tell = await startLong();
  tell(ENDED);
  await use(async () => {
    vi.advanceTimersByTime(FOUR_MINUTES_MS + LAST_MINUTE_MS);
    await use(async () => OTHER);
    expect(made).toBe(1);
    return OTHER;
  });
  await use(async () => OTHER);
  expect(made).toBe(2);
});

it('the next program is kept as long as it runs, also if it starts while the end of one is read', async () => {
  const tell = await startLong();
  tell(ENDED);
  await use(async (tellOfNext) => {
    await use(async () => READ);
    tellOfNext(STARTED);
    return RUNS;
  });
  vi.advanceTimersByTime(FOUR_MINUTES_MS + LAST_MINUTE_MS);
  await use(async () => OTHER);
  expect(made).toBe(1);
});

it('the next program is kept when one ends that an aborted call started', async () => {
  let tellOfAborted: Tell = () => {};
  const aborted = use(async (tell) => {
    tell(STARTED);
    tellOfAborted = tell;
    throw new Error('aborted');
  });
  await expect(aborted).rejects.toThrow('aborted');
  await startLong();
  expect(made).toBe(2);
  tellOfAborted(ENDED);
  vi.advanceTimersByTime(FOUR_MINUTES_MS + LAST_MINUTE_MS);
  await use(async () => OTHER);
  expect(made).toBe(2);
});
