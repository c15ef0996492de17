import type { Readable, Writable } from 'node:stream';
import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import { temporaryFileSystem } from './bwrap-arguments.ts';
import type { ControlGroup } from './control-groups.ts';
import {
  ENTRANCE_DESCRIPTORS,
  inputDescriptor,
  prepareScript,
  startScript,
  STDIN_DESCRIPTOR,
} from './launcher-script.ts';
import type { SpawnedProcess } from './spawned-process.ts';
import type { Spawner } from './spawner.ts';

/** The descriptor on which a launcher is told its scripts. */
const SCRIPT_DESCRIPTOR = 0;

/** How long a sandbox whose input has ended may take to end by itself. */
const SELF_END_MS = 300;
/** How long the end of a killed one is waited for. */
const KILL_PATIENCE_MS = 5000;

/** A sandbox as this process sees it: `bwrap`, whose child is process 1 of the sandbox. */
export interface BwrapProcess {
  readonly spawned: SpawnedProcess;
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
 * @param spawner - One of the command `LAUNCHER`.
 * @param userId - Whom it runs as on the machine, where this process may choose: where it is root's.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startLauncher(
  spawner: Spawner,
  purpose: LauncherPurpose,
  userId: number,
  group?: ControlGroup,
): Promise<Launcher> {
  const entrances = group?.entrances() ?? [];
  const inputs = Array.from({ length: purpose.inputCount }, (_, index) => inputDescriptor(index));
  const spawned = await spawner.start({
    // Root here would be root in all that the sandbox's namespaces do not cover.
    userId: process.getuid?.() === 0 ? userId : undefined,
    inputs: [SCRIPT_DESCRIPTOR, STDIN_DESCRIPTOR, ...inputs],
    outputs: [1, 2],
    files: new Map(entrances.map((path, index) => [ENTRANCE_DESCRIPTORS[index] ?? -1, path])),
  });
  spawned
    .stream(SCRIPT_DESCRIPTOR)
    .write(prepareScript(entrances.length, temporaryFileSystem(purpose.limits)));
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
  const { spawned } = launcher;
  spawned.setReferenced(true);
  spawned.stream(SCRIPT_DESCRIPTOR).end(startScript(command));
  for (const [index, input] of inputs.entries()) spawned.stream(inputDescriptor(index)).end(input);
  return launcher;
}

/** Has a launcher become no sandbox, but end when it has done what comes before that. */
export function leaveLauncher({ spawned }: Launcher): void {
  spawned.stream(SCRIPT_DESCRIPTOR).end();
}

async function endSpawned(spawned: SpawnedProcess, ended: Promise<void>): Promise<void> {
  // The supervisor ends everything when its input ends, and `bwrap` when the kernel has seen to that.
  spawned.stream(SCRIPT_DESCRIPTOR).destroy();
  spawned.stream(STDIN_DESCRIPTOR).destroy();
  // Nobody may be reading any more, and the end is only told when the output has been read.
  spawned.stream(1).resume();
  spawned.stream(2).resume();
  if (await settles(ended, SELF_END_MS)) return;
  // With `bwrap` the kernel ends process 1 of the sandbox, and with that all others.
  spawned.kill();
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
