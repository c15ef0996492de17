import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import type { Command } from './deno-command.ts';

/** How long to wait for the end of a killed process. */
const KILL_DEADLINE_MS = 5000;

/** A child process with a process group of its own. */
export interface DenoProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles when the process has ended and all of its output was read. Never rejects. */
  readonly ended: Promise<void>;
  /** Kills the process and returns when it has ended. Never throws. */
  kill(): Promise<void>;
}

/**
 * Starts Deno and writes its first input. The input stays open.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startDeno(command: Command, input: readonly Buffer[]): Promise<DenoProcess> {
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: '/',
    // A process group of its own, so that an interrupt in the terminal reaches only the host.
    detached: true,
    windowsHide: true,
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    const message = `The command ${command.file} of the embedded sandbox could not be started: ${messageOf(cause)}`;
    throw new PtcError('SANDBOX_START_FAILED', message, { cause });
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // The process may end before it has read all of its input. `ended` reports that.
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
    // It has ended already.
  }
  // `close` is emitted only after all output was read, and nobody else may read it now.
  child.stdout.resume();
  child.stderr.resume();
  const deadline = new Promise<void>((resolve) => {
    setTimeout(resolve, KILL_DEADLINE_MS).unref();
  });
  await Promise.race([ended, deadline]);
}
