import type { ExecutionResult } from '../execution/execution.ts';

const FIRST_LIMIT_MS = 300;
const LAST_LIMIT_MS = 20_000;

/**
 * Runs a program that a time limit must stop after it has reached a certain point. The time that it needs for this depends on
 * the machine, so the limit is doubled until the program has reached the point.
 * @typeParam Result - What running the program gives.
 * @param cameThere - Whether the program reached the point, according to the result.
 * @param run - Runs the program with this time limit. It is called several times.
 * @param firstLimitMs - The first time limit.
 * @returns the first result that shows that the program reached the point; otherwise the last result.
 */
export async function stoppedAt<Result = ExecutionResult>(
  cameThere: (result: Result) => boolean,
  run: (timeoutMs: number) => Promise<Result>,
  firstLimitMs: number = FIRST_LIMIT_MS,
): Promise<Result> {
  for (let timeoutMs = firstLimitMs; ; timeoutMs *= 2) {
    const result = await run(timeoutMs);
    if (cameThere(result) || timeoutMs > LAST_LIMIT_MS) return result;
  }
}

/** @returns a function that checks if a program printed this text to standard output. */
export function printed(text: string): (result: ExecutionResult) => boolean {
  return ({ stdout }) => stdout.includes(text);
}
