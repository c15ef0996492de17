import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Readable, Writable } from 'node:stream';
import { messageOf, PtcError } from '../../shared/errors.ts';
import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import { PROGRAM_PATH, temporaryFileSystem } from './bwrap-arguments.ts';
import type { ControlGroup } from './control-groups.ts';
import {
  ENTRANCE_DESCRIPTORS,
  inputDescriptor,
  LAUNCHER,
  prepareScript,
  startScript,
  STDIN_DESCRIPTOR,
} from './launcher-script.ts';

/** How long a sandbox whose input has ended may take to end by itself. */
const SELF_END_MS = 300;
/** How long the end of a killed one is waited for. */
const KILL_PATIENCE_MS = 5000;

/** A sandbox as this process sees it: `bwrap`, whose child is process 1 of the sandbox. */
export interface BwrapProcess {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What bounds all of it together, where something does. */
  readonly group: ControlGroup | undefined;
  /** Settles when it has ended, all of its output was read, and its group is gone. Never rejects. */
  readonly ended: Promise<void>;
  isAlive(): boolean;
  /**
   * Ends it and returns when all of it is gone; of one whose supervisor did not heed the end of its input, when the
   * kernel is about to end the last of it. Never throws.
   */
  end(): Promise<void>;
}

/** What a launcher is for. */
export interface LauncherPurpose {
  /** The limits of the sandbox. */
  readonly limits: ResourceLimits;
  /** How many inputs `startBwrap` will have for it. */
  readonly inputCount: number;
}

/** A process that becomes a sandbox. It ends with this process, and keeps it from no end. */
export interface Launcher extends BwrapProcess {
  readonly purpose: LauncherPurpose;
  /** The number of its user, where this process may choose. */
  readonly userId: number;
}

/**
 * Starts a process that waits to become a sandbox, in its control group from before it does anything.
 * @param userId - Whom it runs as on the machine, where this process may choose: where it is root's.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startLauncher(
  purpose: LauncherPurpose,
  userId: number,
  group?: ControlGroup,
): Promise<Launcher> {
  const entrances = group?.openEntrances() ?? [];
  const child = await startChild(entrances, purpose.inputCount, userId).finally(() =>
    entrances.forEach((entrance) => closeSync(entrance)),
  );
  const { stdout, stderr } = child;
  const stdin = child.stdio[STDIN_DESCRIPTOR];
  if (stdout === null || stderr === null || !(stdin instanceof Writable)) {
    throw new PtcError('SANDBOX_START_FAILED', 'A sandbox has no streams.');
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = closed.then(async () => group?.remove());
  // Where it ended before it read all; its end says so itself.
  for (const stream of child.stdio) stream?.on('error', () => {});
  setReferenced(child, false);
  child.stdin?.write(prepareScript(entrances.length, temporaryFileSystem(purpose.limits)));
  const end = async (): Promise<void> => endChild(child, stdin, ended);
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  return { child, stdin, stdout, stderr, purpose, userId, group, ended, isAlive, end };
}

/**
 * Has a launcher become a sandbox.
 * @param command - As `bwrapCommand` gives it.
 * @param inputs - First the filter of its system calls, then the runner's codes, then its files: as many as the
 * launcher was started for.
 */
export function startBwrap(
  launcher: Launcher,
  command: readonly string[],
  inputs: readonly Buffer[],
): BwrapProcess {
  const { child } = launcher;
  setReferenced(child, true);
  child.stdin?.end(startScript(command));
  for (const [index, input] of inputs.entries()) {
    const stream = child.stdio[inputDescriptor(index)];
    if (stream instanceof Writable) stream.end(input);
  }
  return launcher;
}

async function startChild(
  entrances: readonly number[],
  inputCount: number,
  userId: number,
): Promise<ChildProcess> {
  const [file = '', ...args] = LAUNCHER;
  try {
    const stdio = new Map<number, 'pipe' | number>();
    for (const descriptor of [0, 1, 2, STDIN_DESCRIPTOR]) stdio.set(descriptor, 'pipe');
    for (let index = 0; index < inputCount; index += 1) stdio.set(inputDescriptor(index), 'pipe');
    for (const [index, entrance] of entrances.entries()) {
      stdio.set(ENTRANCE_DESCRIPTORS[index] ?? -1, entrance);
    }
    const count = Math.max(...stdio.keys()) + 1;
    const child = spawn(file, args, {
      env: { PATH: PROGRAM_PATH },
      cwd: '/',
      // Those between are not there.
      stdio: Array.from({ length: count }, (_, descriptor) => stdio.get(descriptor) ?? 'ignore'),
      // Not of the terminal's group: an interrupt there is the host's to answer.
      detached: true,
      // Root here would be root in all that the sandbox's namespaces do not cover. Node drops the other groups too.
      ...(process.getuid?.() === 0 && { uid: userId, gid: userId }),
    });
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    const message = `${file} did not start: ${messageOf(cause)}`;
    throw new PtcError('SANDBOX_START_FAILED', message, { cause });
  }
}

/** Whether a child and its streams keep this process from its end. */
function setReferenced(child: ChildProcess, referenced: boolean): void {
  const handles = [child, ...child.stdio.filter((stream) => stream instanceof Socket)];
  for (const handle of handles) {
    if (referenced) handle.ref();
    else handle.unref();
  }
}

async function endChild(child: ChildProcess, stdin: Writable, ended: Promise<void>): Promise<void> {
  // The supervisor ends everything when its input ends, and `bwrap` when the kernel has seen to that.
  child.stdin?.destroy();
  stdin.destroy();
  // Nobody may be reading any more, and the end is only told when the output has been read.
  child.stdout?.resume();
  child.stderr?.resume();
  if (await settles(ended, SELF_END_MS)) return;
  // With `bwrap` the kernel ends process 1 of the sandbox, and with that all others.
  child.kill('SIGKILL');
  await settles(ended, KILL_PATIENCE_MS);
}

async function settles(promise: Promise<void>, patienceMs: number): Promise<boolean> {
  const { promise: patience, stop } = delay(patienceMs);
  const settled = await Promise.race([promise.then(() => true), patience]);
  stop();
  return settled;
}

function delay(durationMs: number): { promise: Promise<false>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), durationMs);
  });
  return { promise, stop: () => clearTimeout(timer) };
}
