import type { LanguageName } from '../../protocol/messages.ts';
import { assemble } from '../../sandbox/seccomp/bpf.ts';
import {
  readRunnerSource,
  RUNNER_DIRECTORY,
  runnerCommandOf,
} from '../../sandbox/runner-command.ts';
import {
  type Availability,
  type ProviderCallOptions,
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxProvider,
  type SandboxSpec,
} from '../../sandbox/sandbox.ts';
import { ProviderStarts } from '../../sandbox/provider-starts.ts';
import { SandboxUsers } from '../../sandbox/sandbox-user.ts';
import { softwareCommand } from '../../sandbox/software/ask-software.ts';
import { knownSoftware } from '../../sandbox/software/known-software.ts';
import type { SandboxSoftware } from '../../sandbox/software/software.ts';
import { seccompProgram } from '../../sandbox/seccomp/seccomp-program.ts';
import { unlessAborted } from '../../shared/async/abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { SharedTask } from '../../shared/async/shared-task.ts';
import { connectSandbox, isWatched } from './bubblewrap-sandbox.ts';
import type { SandboxFile } from './start/bwrap-arguments.ts';
import { startBwrap, startLauncher } from './start/bwrap-process.ts';
import { compileCommand, type CompiledRunner, readCompiled } from './start/compiled-runner.ts';
import type { ControlGroups } from './control-groups/control-groups.ts';
import { findControlGroups } from './control-groups/find.ts';
import { GuestFiles, type RunWithFiles } from './start/guest-files.ts';
import { describeFile, describeProgram } from './start/installed-programs.ts';
import { LAUNCHER } from './start/launcher-script.ts';
import { Launchers } from './start/launchers.ts';
import { otherRuntime } from './check/host-runtime.ts';
import { type Machine, readMachine } from './check/machine.ts';
import { explainStartFailure, findBwrap } from './check/probe.ts';
import { refusedCalls } from './start/refused-calls.ts';
import { Spawner } from './start/spawner.ts';
import type { Refusal } from './check/start-failure.ts';
import {
  type ChosenInterpreters,
  checkInterpreters,
  findInterpreters,
  withInterpreters,
} from './interpreters/interpreters.ts';
import { type BubblewrapProviderOptions, checkBubblewrapOptions } from './interpreters/options.ts';
import { printedBy, runTrial, TRIAL_COMMAND, type TrialResult } from './check/trial.ts';

/**
 * Sandboxes on Linux without a container engine and without root. `bwrap` creates processes in
 * their own namespaces, which can read nothing of the machine except its programs.
 *
 * The kernel limits memory, processes and processor time if this process can create control groups:
 * as root, in its own container, or in a systemd unit with `Delegate=yes`. Otherwise the host
 * measures the memory and enforces `memoryBytes`, and `cpus` has no effect. The description that
 * `probe` returns says which.
 *
 * Programs run with the interpreters in `/usr` of the machine: `python3`, which the runner needs,
 * `node` and `bash`. `python` and `node` choose others.
 * @throws PtcError `OPTION_INVALID`. An interpreter is looked at when it is first needed: `create`
 * then throws `OPTION_INVALID` if it cannot be used.
 */
export function bubblewrapProvider(options: BubblewrapProviderOptions = {}): SandboxProvider {
  checkBubblewrapOptions(options);
  return new BubblewrapProvider(findControlGroups, options);
}

/** What is common to all sandboxes of this machine. */
interface MachineSetup {
  readonly machine: Machine;
  readonly filter: Buffer;
  readonly version: string;
  /** Undefined if there are no control groups. */
  readonly groups: ControlGroups | undefined;
  /** Why there are no control groups: a clause. */
  readonly absence: string;
  /** The interpreters that the user chose. */
  readonly chosen: ChosenInterpreters;
}

/** The runner, and the files of its guests. */
interface Runner extends CompiledRunner {
  readonly guestFiles: GuestFiles;
}

/** The provider. Tests give it other parts. */
export class BubblewrapProvider implements SandboxProvider {
  readonly name = 'bubblewrap';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript', 'bash'];
  readonly #setup = new SharedTask(async () => this.#findSetup());
  readonly #runner = new SharedTask(async (signal) => this.#prepareRunner(signal));
  readonly #starts = new ProviderStarts('bubblewrap');
  readonly #users = new SandboxUsers();
  readonly #spawner = new Spawner(LAUNCHER);
  readonly #launchers = new Launchers(this.#spawner, () => this.#users.next());
  readonly #findOwnGroups: typeof findControlGroups;
  readonly #options: BubblewrapProviderOptions;
  #guestFiles: GuestFiles | undefined;

  /** @param findOwnGroups - Finds where this process can create control groups. */
  constructor(findOwnGroups: typeof findControlGroups, options: BubblewrapProviderOptions = {}) {
    this.#findOwnGroups = findOwnGroups;
    this.#options = options;
  }

  async create(spec: SandboxSpec, { signal }: ProviderCallOptions = {}): Promise<Sandbox> {
    return this.#starts.start(signal, async (within) => this.#start(spec, within));
  }

  async #start(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox> {
    const setup = await this.#usableSetup(signal);
    const { machine, filter, groups } = setup;
    const { source, codes, guestFiles } = await this.#runner.result(signal);
    const { guests, files } = await guestFiles.guestsFor(spec);
    const started = runnerCommandOf({ ...source, guests }, spec, RUNNER_DIRECTORY);
    const command = withPython(setup, started);
    const bounded = groups !== undefined;
    const purpose = { limits: spec.limits, sandbox: { machine, filter, bounded, command, files } };
    const launcher = await this.#launchers.take(groups, purpose);
    return connectSandbox(startBwrap(launcher, codes), {
      limits: spec.limits,
      absence: setup.absence,
      // Prepares the next launcher, but only after the outcome was delivered, which this would
      // otherwise delay.
      onOutcome: () => setImmediate(() => this.#launchers.prepare(groups, purpose)),
    });
  }

  async probe({ signal }: ProviderCallOptions = {}): Promise<Availability> {
    return unlessAborted(this.#probe(), signal, 'The check of bubblewrap');
  }

  async #probe(): Promise<Availability> {
    // Checks again, because missing software may have been installed.
    this.#setup.forget();
    const setup = await this.#setup.result(undefined).catch(asRefusal);
    if ('reason' in setup) return { usable: false, ...setup };
    const trial = await this.#try(setup, withPython(setup, TRIAL_COMMAND));
    if (!trial.works) return { usable: false, ...(await explainStartFailure(printedBy(trial))) };
    const description = `bubblewrap ${setup.version} with Python ${trial.output.trim()}, ${describeLimits(setup)}`;
    return { usable: true, description, boundsMemory: setup.groups !== undefined };
  }

  async software({ signal }: ProviderCallOptions = {}): Promise<SandboxSoftware | undefined> {
    const setup = await this.#usableSetup(signal);
    const { python, node } = setup.chosen;
    const place = ['bubblewrap', python?.command, node?.command].join(' ');
    const ask = async (): Promise<string | undefined> => {
      const { output, works } = await this.#try(setup, withPython(setup, await softwareCommand()));
      return works ? output : undefined;
    };
    const look = async (searched: readonly string[]): Promise<string> => {
      const programs = ['python3', 'node', 'bash'].map(async (name) => describe(setup, name));
      return (await Promise.all([...programs, ...searched.map(describeFile)])).join('\n');
    };
    return unlessAborted(knownSoftware({ place, ask, look }), signal);
  }

  async close(): Promise<void> {
    await this.#starts.close();
    await Promise.all([this.#guestFiles?.settled(), this.#launchers.close()]);
    await this.#spawner.close();
  }

  /**
   * A refusal is not kept: it may have been true for a moment, or its remedy may be done meanwhile.
   * @throws PtcError `SANDBOX_UNAVAILABLE` if no sandbox can be started on this machine.
   */
  async #usableSetup(signal: AbortSignal | undefined): Promise<MachineSetup> {
    const setup = await this.#setup.result(signal);
    if (!('reason' in setup)) return setup;
    this.#setup.forgetResult(setup);
    throw unavailable(setup);
  }

  async #findSetup(): Promise<MachineSetup | Refusal> {
    // The spawner takes as long to start as the checks, so both run at once.
    const canSpawn = process.platform === 'linux' && otherRuntime(process.versions) === undefined;
    if (canSpawn) this.#spawner.prepare();
    const bwrap = await findBwrap();
    if ('reason' in bwrap) return bwrap;
    const { version } = bwrap;
    const found = await this.#findGroups();
    const bounded = found.groups !== undefined;
    const refused = refusedCalls(bounded, isWatched(bounded));
    const filter = assemble(seccompProgram(process.arch, refused));
    const chosen = await findInterpreters(this.#options);
    const machine = withInterpreters(await readMachine(version), chosen);
    const setup = { machine, filter, version, chosen, ...found };
    await checkInterpreters(chosen, async (command) => this.#try(setup, command));
    return setup;
  }

  /**
   * Moves a process into a group as a check, because some kernels refuse that even to users who can
   * create groups.
   */
  async #findGroups(): Promise<Pick<MachineSetup, 'groups' | 'absence'>> {
    const groups = await this.#findOwnGroups();
    if ('absence' in groups) return { groups: undefined, absence: groups.absence };
    await groups.removeLeftovers();
    const trial = await runTrial(this.#launchers.take(groups, { limits: DEFAULT_LIMITS }));
    if (trial.works) return { groups, absence: '' };
    const absence = `processes cannot be moved into them (${printedBy(trial)})`;
    return { groups: undefined, absence };
  }

  /** @throws PtcError `SANDBOX_UNAVAILABLE` if no sandbox can be started on this machine. */
  async #prepareRunner(signal: AbortSignal): Promise<Runner> {
    const [setup, source] = await Promise.all([this.#usableSetup(signal), readRunnerSource()]);
    const compile = withPython(setup, await compileCommand(source));
    const compiled = await this.#try(setup, compile);
    if (!compiled.works) throw unavailable(await explainStartFailure(printedBy(compiled)));
    const run: RunWithFiles = async (command, files) => {
      const printed = await this.#try(setup, command, files);
      return printed.works ? printed.output : undefined;
    };
    const guestFiles = new GuestFiles(source.guests, run, async (name) => describe(setup, name));
    this.#guestFiles = guestFiles;
    return { ...(await readCompiled(source, compiled.output)), guestFiles };
  }

  async #try(
    { machine, filter, groups }: MachineSetup,
    command: readonly string[],
    files: readonly SandboxFile[] = [],
  ): Promise<TrialResult> {
    const sandbox = { machine, filter, bounded: groups !== undefined, command, files };
    const purpose = { limits: DEFAULT_LIMITS, sandbox };
    const launcher = startLauncher(this.#spawner, purpose, this.#users.next());
    return runTrial(launcher, this.#starts.closing);
  }
}

function describeLimits({ groups, absence }: MachineSetup): string {
  if (groups === undefined)
    return `memory measured by the host, processor time not limited: ${absence}`;
  const { version, controllers } = groups;
  return `limited by control groups of version ${version} (${controllers.join(', ')})`;
}

/** A command that begins with `python3`, for the Python that runs programs. */
function withPython({ chosen }: MachineSetup, command: readonly string[]): readonly string[] {
  return chosen.python === undefined ? command : [chosen.python.command, ...command.slice(1)];
}

/** Returns a text that changes if the interpreter is installed again. */
async function describe({ chosen }: MachineSetup, name: string): Promise<string> {
  const own = name === 'python3' ? chosen.python : name === 'node' ? chosen.node : undefined;
  return own === undefined ? describeProgram(name) : describeFile(own.command);
}

/** Why an interpreter that the user chose cannot be used. @throws any other error. */
function asRefusal(error: unknown): Refusal {
  if (!PtcError.isInstance(error) || error.code !== 'OPTION_INVALID') throw error;
  return { reason: error.message.replace(/\.$/, ''), remedy: '' };
}

function unavailable({ reason, remedy }: Refusal): PtcError {
  return new PtcError('SANDBOX_UNAVAILABLE', `Bubblewrap cannot be used: ${reason}. ${remedy}`);
}
