import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { messageOf, PtcError } from '../../shared/errors.ts';
import type { Command } from './deno-command.ts';

/** How long the end of a killed process is waited for. */
const KILL_PATIENCE_MS = 5000;

/** A child in a process group of its own. */
export interface DenoProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles when it has ended and all of its output was read. Never rejects. */
  readonly ended: Promise<void>;
  /** Ends it at once and returns when it is gone. Never throws. */
  kill(): Promise<void>;
}

/**
 * Starts Deno and gives it its input, which stays open.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startDeno(command: Command, input: readonly Buffer[]): Promise<DenoProcess> {
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: '/',
    // Not of the terminal's group: an interrupt there is the host's to answer.
    detached: true,
    windowsHide: true,
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    const message = `${command.file} did not start: ${messageOf(cause)}`;
    throw new PtcError('SANDBOX_START_FAILED', message, { cause });
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // Where it ended before it took all of its input; its end says so itself.
  child.stdin.on('error', () => {});
  child.stdin.cork();
  for (const part of input) child.stdin.write(part);
  child.stdin.uncork();
  return { child, ended, kill: async () => kill(child, ended) };
}

async function kill(child: ChildProcessWithoutNullStreams, ended: Promise<void>): Promise<void> {
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL');
    }
  } catch {
    // It has ended meanwhile.
  }
  // Nobody may be reading any more, and its end is only told when its output has been.
  child.stdout.resume();
  child.stderr.resume();
  const patience = new Promise<void>((resolve) => {
    setTimeout(resolve, KILL_PATIENCE_MS).unref();
  });
  await Promise.race([ended, patience]);
}
