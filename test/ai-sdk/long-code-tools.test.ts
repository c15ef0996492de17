import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { LongCodeTools } from '../../src/ai-sdk/code/long-code-tools.ts';
import type { CodeAnswer } from '../../src/orchestrator/code/code-answer.ts';
import type { CodeTool } from '../../src/orchestrator/code/code-tool.ts';

const RUNS = { text: '', program: '499aab18' } as CodeAnswer;
const OTHER = { text: 'refused' } as CodeAnswer;
const FOUR_MINUTES_MS = 240_000;
const LAST_MINUTE_MS = 60_000;

let tools: LongCodeTools;
let made: number;

beforeEach(async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  tools = new LongCodeTools();
  made = 0;
  await use(async () => RUNS);
  tools.ended('chat');
});

/** Makes a call in the chat, and counts the code tools that calls needed. */
async function use(call: () => Promise<CodeAnswer>): Promise<CodeAnswer> {
  return tools.use('chat', () => ({ number: (made += 1) }) as unknown as CodeTool, call);
}

it('the end of a program that no call has read is kept for five minutes', async () => {
  vi.advanceTimersByTime(FOUR_MINUTES_MS);
  await use(async () => OTHER);
  expect(made).toBe(1);
  vi.advanceTimersByTime(LAST_MINUTE_MS);
  await use(async () => OTHER);
  expect(made).toBe(2);
});

it('a call that is made meanwhile has it to its end', async () => {
  await use(async () => {
    vi.advanceTimersByTime(FOUR_MINUTES_MS + LAST_MINUTE_MS);
    await use(async () => OTHER);
    expect(made).toBe(1);
    return OTHER;
  });
  await use(async () => OTHER);
  expect(made).toBe(2);
});
