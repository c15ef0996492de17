import { randomInt } from 'node:crypto';
import type { LanguageName } from '../../protocol/messages.ts';
import { assemble } from '../../sandbox/bpf.ts';
import {
  readRunnerSource,
  runnerCommand,
  type RunnerSource,
} from '../../sandbox/runner-command.ts';
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
import { type Machine, readMachine } from './machine.ts';
import { explainStartFailure, findBwrap } from './probe.ts';
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

interface Ingredients {
  readonly machine: Machine;
  readonly version: string;
  readonly filter: Buffer;
  readonly runner: RunnerSource;
}

/**
 * Memory that no process has mapped is counted nowhere without a control group; what a file in memory could
 * do besides, `/tmp` can.
 */
const UNCOUNTED_CALLS = ['memfd_create'];

/**
 * Comes before the runner: a host may have descriptors that its children inherit, and `bwrap` passes
 * on what it is given.
 */
const CLOSE_INHERITED = `import os
for name in os.listdir("/proc/self/fd"):
    try:
        int(name) < 3 or os.close(int(name))
    except OSError:
        pass
`;

class BubblewrapProvider implements SandboxProvider {
  readonly name = 'bubblewrap';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript', 'bash'];
  readonly #ingredients = new SharedTask(async () => prepare());
  /** Starts anywhere, so that the providers of two processes seldom give out the same user ids. */
  #slot = randomInt(2 ** 32);
  #closed = false;

  async create(spec: SandboxSpec, { signal }: CreateOptions = {}): Promise<Sandbox> {
    if (this.#closed) throw new PtcError('CLOSED', 'The bubblewrap provider was closed.');
    throwIfAborted(signal);
    const { machine, filter, runner } = await this.#ingredients.result(signal);
    const userId = userIdOfSlot(this.#slot++);
    const command = bwrapCommand(machine, {
      limits: spec.limits,
      userId,
      command: runnerCommand(runner, spec),
    });
    const sandbox = connectSandbox(await startBwrap(command, filter, userId), spec.limits);
    if (signal?.aborted) await sandbox.close();
    throwIfAborted(signal);
    return sandbox;
  }

  async probe(): Promise<Availability> {
    const found = await findBwrap();
    if ('reason' in found) return { usable: false, ...found };
    const { machine, filter } = await this.#ingredients.result(undefined);
    const userId = userIdOfSlot(this.#slot++);
    const command = bwrapCommand(machine, {
      limits: DEFAULT_LIMITS,
      userId,
      command: TRIAL_COMMAND,
    });
    const { output, works } = await runTrial(command, filter, userId);
    if (!works) return { usable: false, ...(await explainStartFailure(output)) };
    return {
      usable: true,
      description: `bubblewrap ${found.version} with Python ${output.trim()}`,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

/** @throws PtcError `SANDBOX_UNAVAILABLE` */
async function prepare(): Promise<Ingredients> {
  const found = await findBwrap();
  if ('reason' in found) {
    const message = `Bubblewrap cannot be used: ${found.reason}. ${found.remedy}`;
    throw new PtcError('SANDBOX_UNAVAILABLE', message);
  }
  const { version } = found;
  const [machine, runner] = await Promise.all([readMachine(version), readRunnerSource()]);
  return {
    machine,
    version,
    filter: assemble(seccompProgram(process.arch, UNCOUNTED_CALLS)),
    runner: { ...runner, bootstrap: `${CLOSE_INHERITED}${runner.bootstrap}` },
  };
}
