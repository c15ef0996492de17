import { randomInt } from 'node:crypto';
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
import { userIdOfSlot } from '../../sandbox/sandbox-user.ts';
import { seccompProgram } from '../../sandbox/seccomp-program.ts';
import { throwIfAborted } from '../../shared/abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { SharedTask } from '../../shared/shared-task.ts';
import { connectSandbox } from './bubblewrap-sandbox.ts';
import { bwrapCommand } from './bwrap-arguments.ts';
import { startBwrap } from './bwrap-process.ts';
import { compileCommand, type CompiledRunner, readCompiled } from './compiled-runner.ts';
import { GuestFiles, type SandboxFile } from './guest-files.ts';
import { type Machine, readMachine } from './machine.ts';
import { explainStartFailure, findBwrap } from './probe.ts';
import type { Refusal } from './start-failure.ts';
import { runTrial, TRIAL_COMMAND } from './trial.ts';

/**
 * Sandboxes on Linux without an engine and without root: processes in namespaces of their own, made by
 * `bwrap`, that see nothing of the machine but its programs.
 *
 * Of `limits`, `memoryBytes` is watched and not bounded by the kernel, and `cpus` is not bounded at all.
 * Programs are run by the interpreters that the system has in `/usr`: `python3`, which the runner needs,
 * `node` and `bash`.
 */
export function bubblewrapProvider(): SandboxProvider {
  return new BubblewrapProvider();
}

/** What every sandbox of a machine is started with. */
interface Walls {
  readonly machine: Machine;
  readonly filter: Buffer;
  readonly version: string;
}

/** The runner, and what its guests have in a sandbox. */
interface Runner extends CompiledRunner {
  readonly guestFiles: GuestFiles;
}

/** Stands where a sandbox that is no trial has those of the runner. */
const NO_CODES = Buffer.alloc(0);

/**
 * Memory that no process has mapped is counted nowhere without a control group; what a file in memory could
 * do besides, `/tmp` can.
 */
const UNCOUNTED_CALLS = ['memfd_create'];

class BubblewrapProvider implements SandboxProvider {
  readonly name = 'bubblewrap';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript', 'bash'];
  readonly #walls = new SharedTask(async () => findWalls());
  readonly #runner = new SharedTask(async (signal) => this.#prepareRunner(signal));
  readonly #closing = new AbortController();
  /** Starts anywhere, so that the providers of two processes seldom give out the same user ids. */
  #slot = randomInt(2 ** 32);
  #guestFiles: GuestFiles | undefined;
  #closed = false;

  async create(spec: SandboxSpec, { signal }: CreateOptions = {}): Promise<Sandbox> {
    if (this.#closed) throw new PtcError('CLOSED', 'The bubblewrap provider was closed.');
    throwIfAborted(signal);
    const { machine, filter } = usable(await this.#walls.result(signal));
    const { source, codes, guestFiles } = await this.#runner.result(signal);
    const files = await guestFiles.filesFor(spec);
    const userId = userIdOfSlot(this.#slot++);
    const command = bwrapCommand(machine, {
      limits: spec.limits,
      userId,
      command: runnerCommand(source, spec, RUNNER_DIRECTORY),
      files: files.map(({ path }) => path),
    });
    const inputs = [filter, codes, ...files.map(({ content }) => content)];
    const bwrap = await startBwrap(command, inputs, userId);
    const sandbox = connectSandbox(bwrap, spec.limits);
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
    const description = `bubblewrap ${walls.version} with Python ${output.trim()}`;
    return { usable: true, description };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    await this.#guestFiles?.settled();
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
    { machine, filter }: Walls,
    command: readonly string[],
    files: readonly SandboxFile[] = [],
  ): ReturnType<typeof runTrial> {
    const userId = userIdOfSlot(this.#slot++);
    const paths = files.map(({ path }) => path);
    const options = { limits: DEFAULT_LIMITS, userId, command, files: paths };
    const inputs = [filter, NO_CODES, ...files.map(({ content }) => content)];
    return runTrial(bwrapCommand(machine, options), inputs, userId, this.#closing.signal);
  }
}

async function findWalls(): Promise<Walls | Refusal> {
  const found = await findBwrap();
  if ('reason' in found) return found;
  const { version } = found;
  const filter = assemble(seccompProgram(process.arch, UNCOUNTED_CALLS));
  return { machine: await readMachine(version), filter, version };
}

/** @throws PtcError `SANDBOX_UNAVAILABLE` */
function usable(walls: Walls | Refusal): Walls {
  if ('reason' in walls) throw unavailable(walls);
  return walls;
}

function unavailable({ reason, remedy }: Refusal): PtcError {
  return new PtcError('SANDBOX_UNAVAILABLE', `Bubblewrap cannot be used: ${reason}. ${remedy}`);
}
