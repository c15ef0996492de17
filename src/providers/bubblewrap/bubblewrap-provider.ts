import type { LanguageName } from '../../protocol/messages.ts';
import { assemble } from '../../sandbox/bpf.ts';
import { readRunnerSource, RUNNER_DIRECTORY, runnerCommand } from '../../sandbox/runner-command.ts';
import {
  type Availability,
  type CreateOptions,
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxProvider,
  type SandboxSpec,
} from '../../sandbox/sandbox.ts';
import { SandboxUsers } from '../../sandbox/sandbox-user.ts';
import { seccompProgram } from '../../sandbox/seccomp-program.ts';
import { throwIfAborted } from '../../shared/abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { SharedTask } from '../../shared/shared-task.ts';
import { connectSandbox, isWatched } from './bubblewrap-sandbox.ts';
import { bwrapCommand } from './bwrap-arguments.ts';
import { startBwrap, startLauncher } from './bwrap-process.ts';
import { compileCommand, type CompiledRunner, readCompiled } from './compiled-runner.ts';
import type { ControlGroups } from './control-groups.ts';
import { findControlGroups } from './find-control-groups.ts';
import { GuestFiles, type SandboxFile } from './guest-files.ts';
import { LAUNCHER } from './launcher-script.ts';
import { Launchers } from './launchers.ts';
import { type Machine, readMachine } from './machine.ts';
import { explainStartFailure, findBwrap } from './probe.ts';
import { refusedCalls } from './refused-calls.ts';
import { Spawner } from './spawner.ts';
import type { Refusal } from './start-failure.ts';
import { runTrial, TRIAL_COMMAND, type TrialResult, tryToEnter } from './trial.ts';

/**
 * Sandboxes on Linux without an engine and without root: processes in namespaces of their own, made by
 * `bwrap`, that see nothing of the machine but its programs.
 *
 * The kernel bounds memory, processes and processors where this process may make control groups: as root, in a
 * container of its own, or in a unit of systemd with `Delegate=yes`. Elsewhere, of `limits`, `memoryBytes` is watched
 * and `cpus` is not bounded at all. `probe` says which.
 *
 * Programs are run by the interpreters that the system has in `/usr`: `python3`, which the runner needs,
 * `node` and `bash`.
 */
export function bubblewrapProvider(): SandboxProvider {
  return new BubblewrapProvider(findControlGroups);
}

/** What every sandbox of a machine is started with. */
interface Walls {
  readonly machine: Machine;
  readonly filter: Buffer;
  readonly version: string;
  /** Undefined where there are none to be had. */
  readonly groups: ControlGroups | undefined;
  /** Why not: a clause. */
  readonly absence: string;
}

/** The runner, and what its guests have in a sandbox. */
interface Runner extends CompiledRunner {
  readonly guestFiles: GuestFiles;
}

/** Stands where a sandbox that is no trial has those of the runner. */
const NO_CODES = Buffer.alloc(0);

export class BubblewrapProvider implements SandboxProvider {
  readonly name = 'bubblewrap';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript', 'bash'];
  readonly #walls = new SharedTask(async () => this.#findWalls());
  readonly #runner = new SharedTask(async (signal) => this.#prepareRunner(signal));
  readonly #closing = new AbortController();
  readonly #users = new SandboxUsers();
  readonly #spawner = new Spawner(LAUNCHER);
  readonly #launchers = new Launchers(this.#spawner, () => this.#users.next());
  readonly #findOwnGroups: typeof findControlGroups;
  #guestFiles: GuestFiles | undefined;
  #closed = false;

  /** @param findOwnGroups - Finds where this process may make control groups. */
  constructor(findOwnGroups: typeof findControlGroups) {
    this.#findOwnGroups = findOwnGroups;
  }

  async create(spec: SandboxSpec, { signal }: CreateOptions = {}): Promise<Sandbox> {
    if (this.#closed) throw new PtcError('CLOSED', 'The bubblewrap provider was closed.');
    throwIfAborted(signal);
    const walls = usable(await this.#walls.result(signal));
    const { machine, filter, groups } = walls;
    const { source, codes, guestFiles } = await this.#runner.result(signal);
    const files = await guestFiles.filesFor(spec);
    const inputs = [filter, codes, ...files.map(({ content }) => content)];
    const purpose = { limits: spec.limits, inputCount: inputs.length };
    const launcher = await this.#launchers.take(groups, purpose);
    const command = bwrapCommand(machine, {
      limits: spec.limits,
      userId: launcher.userId,
      bounded: groups !== undefined,
      command: runnerCommand(source, spec, RUNNER_DIRECTORY),
      files,
    });
    const bwrap = startBwrap(launcher, command, inputs);
    const sandbox = connectSandbox(bwrap, {
      limits: spec.limits,
      absence: walls.absence,
      // For the next one, and only when somebody has what was waited for: beside it, it would hold that up.
      onOutcome: () => setImmediate(() => this.#launchers.prepare(groups, purpose)),
    });
    if (signal?.aborted) await sandbox.close();
    throwIfAborted(signal);
    return sandbox;
  }

  async probe(): Promise<Availability> {
    // Anew: what was missing may have been installed meanwhile.
    this.#walls.forget();
    const walls = await this.#walls.result(undefined);
    if ('reason' in walls) return { usable: false, ...walls };
    const { output, works } = await this.#try(walls, TRIAL_COMMAND);
    if (!works) return { usable: false, ...(await explainStartFailure(output)) };
    const description = `bubblewrap ${walls.version} with Python ${output.trim()}, ${describeBounds(walls)}`;
    return { usable: true, description, boundsMemory: walls.groups !== undefined };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    await Promise.all([this.#guestFiles?.settled(), this.#launchers.close()]);
    await this.#spawner.close();
  }

  async #findWalls(): Promise<Walls | Refusal> {
    // It takes as long to start as what is looked at meanwhile.
    if (process.platform === 'linux') this.#spawner.prepare();
    const bwrap = await findBwrap();
    if ('reason' in bwrap) return bwrap;
    const { version } = bwrap;
    const found = await this.#findGroups();
    const bounded = found.groups !== undefined;
    const refused = refusedCalls(bounded, isWatched(bounded));
    const filter = assemble(seccompProgram(process.arch, refused));
    return { machine: await readMachine(version), filter, version, ...found };
  }

  /** Really has a process enter one, for not every kernel lets who may make them do that. */
  async #findGroups(): Promise<Pick<Walls, 'groups' | 'absence'>> {
    const groups = await this.#findOwnGroups();
    if ('absence' in groups) return { groups: undefined, absence: groups.absence };
    await groups.removeLeftovers();
    const purpose = { limits: DEFAULT_LIMITS, inputCount: 0 };
    const { works, output } = await tryToEnter(this.#launchers.take(groups, purpose));
    if (works) return { groups, absence: '' };
    return { groups: undefined, absence: `none can be entered (${output.trim()})` };
  }

  /** @throws PtcError `SANDBOX_UNAVAILABLE` where no sandbox can be started here. */
  async #prepareRunner(signal: AbortSignal): Promise<Runner> {
    const [found, source] = await Promise.all([this.#walls.result(signal), readRunnerSource()]);
    const walls = usable(found);
    const { output, works } = await this.#try(walls, await compileCommand(source));
    if (!works) throw unavailable(await explainStartFailure(output));
    const guestFiles = new GuestFiles(source.guests, async (command, files) => {
      const printed = await this.#try(walls, command, files);
      return printed.works ? printed.output : undefined;
    });
    this.#guestFiles = guestFiles;
    return { ...(await readCompiled(source, output)), guestFiles };
  }

  async #try(
    { machine, filter, groups }: Walls,
    command: readonly string[],
    files: readonly SandboxFile[] = [],
  ): Promise<TrialResult> {
    const userId = this.#users.next();
    const bounded = groups !== undefined;
    const options = { limits: DEFAULT_LIMITS, userId, bounded, command, files };
    const inputs = [filter, NO_CODES, ...files.map(({ content }) => content)];
    const purpose = { limits: DEFAULT_LIMITS, inputCount: inputs.length };
    const launcher = startLauncher(this.#spawner, purpose, userId);
    return runTrial(launcher, bwrapCommand(machine, options), inputs, this.#closing.signal);
  }
}

function describeBounds({ groups, absence }: Walls): string {
  if (groups === undefined) return `memory watched and processors not bounded: ${absence}`;
  const { version, controllers } = groups;
  return `bounded by control groups of version ${version} (${controllers.join(', ')})`;
}

/** @throws PtcError `SANDBOX_UNAVAILABLE` */
function usable(walls: Walls | Refusal): Walls {
  if ('reason' in walls) throw unavailable(walls);
  return walls;
}

function unavailable({ reason, remedy }: Refusal): PtcError {
  return new PtcError('SANDBOX_UNAVAILABLE', `Bubblewrap cannot be used: ${reason}. ${remedy}`);
}
