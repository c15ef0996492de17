import assert from 'node:assert/strict';
import type { ExecutionResult } from '../execution/execution.ts';

/**
 * Waits for what a program makes happen.
 * @param what - What happens, for the message.
 * @param ended - The result of the program.
 * @returns the value of `happened`.
 * @throws AssertionError that shows the result if the program ends before.
 */
export async function beforeEnd<Value>(
  what: string,
  happened: Promise<Value>,
  ended: Promise<ExecutionResult>,
): Promise<Value> {
  const early = ended.then((result) =>
    assert.fail(`The program ended before ${what}. The result: ${JSON.stringify(result)}`),
  );
  return Promise.race([happened, early]);
}
