import type { Readable, Writable } from 'node:stream';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import type { Machine } from '../check/machine.ts';
import {
  bwrapCommand,
  type BwrapOptions,
  FILTER_DESCRIPTOR,
  FIRST_FILE_DESCRIPTOR,
  type SandboxFile,
  START_DESCRIPTOR,
  temporaryFileSystem,
} from './bwrap-arguments.ts';
import type { ControlGroup } from '../control-groups/control-groups.ts';
import {
  CODES_DESCRIPTOR,
  ENTRY_DESCRIPTORS,
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
  /** Undefined for a launcher that becomes no sandbox. */
  readonly sandbox?: SandboxPurpose;
}

/** The sandbox that a launcher becomes. */
export interface SandboxPurpose extends Pick<BwrapOptions, 'bounded' | 'command'> {
  readonly machine: Machine;
  /** The filter of system calls. */
  readonly filter: Buffer;
  readonly files: readonly SandboxFile[];
}

/** A process that becomes a sandbox. It ends with this process, and does not keep it alive. */
export interface Launcher extends BwrapProcess {
  readonly purpose: LauncherPurpose;
}

/**
 * Starts a process that becomes a sandbox, which is complete except that its command waits for
 * `startBwrap`. It enters its control group before it does anything else.
 * @param spawner - A spawner with the command `LAUNCHER`.
 * @param userId - Its user id in the sandbox and, if root runs this process, on the machine.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startLauncher(
  spawner: Spawner,
  purpose: LauncherPurpose,
  userId: number,
  group?: ControlGroup,
): Promise<Launcher> {
  const entryFiles = group?.entryFiles() ?? [];
  const { limits, sandbox } = purpose;
  const inputs = sandbox === undefined ? new Map<number, Buffer>() : inputsOf(sandbox);
  const spawned = await spawner.start({
    // Root in the sandbox would be root for everything that its namespaces do not cover.
    userId: process.getuid?.() === 0 ? userId : undefined,
    inputs: [
      ...[SCRIPT_DESCRIPTOR, STDIN_DESCRIPTOR, CODES_DESCRIPTOR, START_DESCRIPTOR],
      ...inputs.keys(),
    ],
    outputs: [1, 2],
    files: new Map(entryFiles.map((path, index) => [ENTRY_DESCRIPTORS[index] ?? -1, path])),
  });
  const script = [prepareScript(entryFiles.length, temporaryFileSystem(limits))];
  if (sandbox !== undefined)
    script.push(startScript(bwrapCommand(sandbox.machine, { ...sandbox, limits, userId })));
  spawned.stream(SCRIPT_DESCRIPTOR).end(script.join(''));
  for (const [descriptor, input] of inputs) spawned.stream(descriptor).end(input);
  const ended = spawned.closed.then(async () => group?.remove());
  return {
    spawned,
    stdin: spawned.stream(STDIN_DESCRIPTOR),
    stdout: spawned.stream(1),
    stderr: spawned.stream(2),
    purpose,
    group,
    ended,
    isAlive: () => spawned.isAlive(),
    end: async () => endSpawned(spawned, ended),
  };
}

/**
 * Starts the command of a launcher's sandbox.
 * @param codes - The runner's compiled modules. Written now, because nothing reads them before, and
 * a write that waits would keep this process alive.
 */
export function startBwrap(launcher: Launcher, codes: Buffer): BwrapProcess {
  const { spawned } = launcher;
  spawned.setReferenced(true);
  spawned.stream(START_DESCRIPTOR).end();
  spawned.stream(CODES_DESCRIPTOR).end(codes);
  return launcher;
}

/** The inputs of `bwrap`, by file descriptor. */
function inputsOf({ filter, files }: SandboxPurpose): Map<number, Buffer> {
  const ofFiles = files.map(
    ({ content }, index) => [FIRST_FILE_DESCRIPTOR + index, content] as const,
  );
  return new Map([[FILTER_DESCRIPTOR, filter], ...ofFiles]);
}

async function endSpawned(spawned: SpawnedProcess, ended: Promise<void>): Promise<void> {
  // When its input ends, the supervisor ends everything, and `bwrap` ends when the kernel has done
  // so.
  spawned.stream(STDIN_DESCRIPTOR).destroy();
  // A launcher ends as well: its sandbox starts, without input.
  spawned.stream(CODES_DESCRIPTOR).destroy();
  spawned.stream(START_DESCRIPTOR).destroy();
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
