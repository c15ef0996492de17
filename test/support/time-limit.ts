import type { ExecutionResult } from '../../src/execution/execution.ts';

const FIRST_LIMIT_MS = 300;
const LAST_LIMIT_MS = 20_000;

/**
 * Runs a program that its time limit is to stop at a certain place. How soon it comes there depends on the machine, so
 * the limit is doubled until it has. @returns the first result of which that is true, or the last one.
 */
export async function stoppedAt(
  cameThere: (result: ExecutionResult) => boolean,
  run: (timeoutMs: number) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  for (let timeoutMs = FIRST_LIMIT_MS; ; timeoutMs *= 2) {
    const result = await run(timeoutMs);
    if (cameThere(result) || timeoutMs > LAST_LIMIT_MS) return result;
  }
}

/** Whether it has printed so. */
export function printed(text: string): (result: ExecutionResult) => boolean {
  return ({ stdout }) => stdout.includes(text);
}
