import { type ChildProcess, startChild } from '../../../sandbox/child-process.ts';
import type { Command } from './deno-command.ts';

/**
 * Starts Deno and writes its first input. The input stays open.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startDeno(
  { file, args, env }: Command,
  input: readonly Buffer[],
): Promise<ChildProcess> {
  const started = await startChild([file, ...args], { environment: env, directory: '/' });
  const { stdin } = started.child;
  // The process may end before it has read all of its input. `ended` reports that.
  stdin.on('error', () => {});
  stdin.cork();
  for (const part of input) stdin.write(part);
  stdin.uncork();
  return started;
}
