import type { Readable, Writable } from 'node:stream';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import { temporaryFileSystem } from './bwrap-arguments.ts';
import type { ControlGroup } from '../control-groups/control-groups.ts';
import {
  ENTRY_DESCRIPTORS,
  inputDescriptor,
  prepareScript,
  startScript,
  STDIN_DESCRIPTOR,
} from './launcher-script.ts';
import type { SpawnedProcess } from './spawned-process.ts';
import type { Spawner } from './spawner.ts';

/** The file descriptor from which a launcher reads its scripts. */
const SCRIPT_DESCRIPTOR = 0;

/** How long a sandbox may take to end by itself after its input has ended. */
const SELF_END_MS = 300;
/** How long to wait for the end of a killed sandbox. */
const KILL_DEADLINE_MS = 5000;

/** A sandbox as the host sees it: `bwrap`, whose child is process 1 of the sandbox. */
export interface BwrapProcess {
  readonly spawned: SpawnedProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The control group that limits the sandbox, if there is one. */
  readonly group: ControlGroup | undefined;
  /**
   * Settles when it has ended, all of its output was read, and its group was removed. Never
   * rejects.
   */
  readonly ended: Promise<void>;
  isAlive(): boolean;
  /**
   * Ends the sandbox and returns when all of it is gone. If its supervisor does not react to the
   * end of its input, returns when the kernel is about to end the last process. Never throws.
   */
  end(): Promise<void>;
}

/** What a launcher is prepared for. */
export interface LauncherPurpose {
  /** The limits of the sandbox. */
  readonly limits: ResourceLimits;
  /** How many inputs `startBwrap` will get. */
  readonly inputCount: number;
}

/** A process that becomes a sandbox. It ends with this process, and does not keep it alive. */
export interface Launcher extends BwrapProcess {
  readonly purpose: LauncherPurpose;
  /** The id of its user in the sandbox. */
  readonly userId: number;
}

/**
 * Starts a process that waits to become a sandbox. It enters its control group before it does
 * anything else.
 * @param spawner - A spawner with the command `LAUNCHER`.
 * @param userId - Its user id on the machine, if root runs this process.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startLauncher(
  spawner: Spawner,
  purpose: LauncherPurpose,
  userId: number,
  group?: ControlGroup,
): Promise<Launcher> {
  const entryFiles = group?.entryFiles() ?? [];
  const inputs = Array.from({ length: purpose.inputCount }, (_, index) => inputDescriptor(index));
  const spawned = await spawner.start({
    // Root in the sandbox would be root for everything that its namespaces do not cover.
    userId: process.getuid?.() === 0 ? userId : undefined,
    inputs: [SCRIPT_DESCRIPTOR, STDIN_DESCRIPTOR, ...inputs],
    outputs: [1, 2],
    files: new Map(entryFiles.map((path, index) => [ENTRY_DESCRIPTORS[index] ?? -1, path])),
  });
  spawned
    .stream(SCRIPT_DESCRIPTOR)
    .write(prepareScript(entryFiles.length, temporaryFileSystem(purpose.limits)));
  const ended = spawned.closed.then(async () => group?.remove());
  return {
    spawned,
    stdin: spawned.stream(STDIN_DESCRIPTOR),
    stdout: spawned.stream(1),
    stderr: spawned.stream(2),
    purpose,
    userId,
    group,
    ended,
    isAlive: () => spawned.isAlive(),
    end: async () => endSpawned(spawned, ended),
  };
}

/**
 * Makes a sandbox of a launcher.
 * @param command - From `bwrapCommand`.
 * @param inputs - The filter of system calls, then the runner's compiled modules, then the files:
 * as many as the launcher was prepared for.
 */
export function startBwrap(
  launcher: Launcher,
  command: readonly string[],
  inputs: readonly Buffer[],
): BwrapProcess {
  const { spawned } = launcher;
  spawned.setReferenced(true);
  spawned.stream(SCRIPT_DESCRIPTOR).end(startScript(command));
  for (const [index, input] of inputs.entries()) spawned.stream(inputDescriptor(index)).end(input);
  return launcher;
}

/** Ends a launcher, after its preparations, without starting a sandbox. */
export function leaveLauncher({ spawned }: Launcher): void {
  spawned.stream(SCRIPT_DESCRIPTOR).end();
}

async function endSpawned(spawned: SpawnedProcess, ended: Promise<void>): Promise<void> {
  // When its input ends, the supervisor ends everything, and `bwrap` ends when the kernel has done
  // so.
  spawned.stream(SCRIPT_DESCRIPTOR).destroy();
  spawned.stream(STDIN_DESCRIPTOR).destroy();
  // The end is reported only after all output was read, and nobody else may read it now.
  spawned.stream(1).resume();
  spawned.stream(2).resume();
  if (await settles(ended, SELF_END_MS)) return;
  // When `bwrap` ends, the kernel ends process 1 of the sandbox, and with it all others.
  spawned.kill();
  await settles(ended, KILL_DEADLINE_MS);
}

async function settles(promise: Promise<void>, timeoutMs: number): Promise<boolean> {
  const { promise: timeout, stop } = delay(timeoutMs);
  const settled = await Promise.race([promise.then(() => true), timeout]);
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
