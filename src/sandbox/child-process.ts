import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { settledWithin } from '../shared/async/settled-within.ts';
import { messageOf, PtcError } from '../shared/errors.ts';

/** How long to wait for the end of a killed process. */
const KILL_DEADLINE_MS = 5000;

/** How a child process is started. */
export interface ChildOptions {
  /** All environment variables of the process. Those that are undefined are left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly directory: string;
}

/** A child process with a process group of its own, of which nothing is left when it has exited. */
export interface ChildProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles when the process has ended and all of its output was read. Never rejects. */
  readonly ended: Promise<void>;
  /**
   * Kills the process, unless it ends by itself, and returns when it has ended. Never throws.
   * @param graceMs - How long it may take to end by itself.
   */
  kill(graceMs?: number): Promise<void>;
}

/**
 * Starts a process.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startChild(
  [file = '', ...args]: readonly string[],
  { environment, directory }: ChildOptions,
): Promise<ChildProcess> {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(file, args, {
      env: environment,
      cwd: directory,
      // A process group of its own, so that an interrupt in the terminal reaches only the host.
      detached: true,
      windowsHide: true,
    });
    await once(child, 'spawn');
  } catch (cause) {
    // The system's error is the same as for a command that does not exist.
    const message = existsSync(directory)
      ? `The command ${JSON.stringify(file)} of the sandbox could not be started: ${messageOf(cause)}`
      : `The sandbox could not be started: its directory ${JSON.stringify(directory)} does not exist. Create it, or name another.`;
    throw new PtcError('SANDBOX_START_FAILED', message, { cause });
  }
  // At once: the system gives the number of a group to another one when nothing of it is left.
  child.once('exit', () => killGroup(child));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { child, ended, kill: async (graceMs = 0) => kill(child, ended, graceMs) };
}

async function kill(
  child: ChildProcessWithoutNullStreams,
  ended: Promise<void>,
  graceMs: number,
): Promise<void> {
  // `close` is emitted only after all output was read, and nobody else may read it now.
  child.stdout.resume();
  child.stderr.resume();
  if (graceMs > 0) await settledWithin(ended, graceMs);
  if (child.exitCode === null && child.signalCode === null) killGroup(child);
  if (await settledWithin(ended, KILL_DEADLINE_MS)) return;
  // A process outside of the group has them. Open, they would keep this process running as long as that one.
  child.stdout.destroy();
  child.stderr.destroy();
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it has ended already.
  }
}
