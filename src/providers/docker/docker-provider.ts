import { randomUUID } from 'node:crypto';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import type { HostMessage, LanguageName } from '../../protocol/messages.ts';
import {
  type Availability,
  DEFAULT_LIMITS,
  type ProviderCallOptions,
  type FoundSandbox,
  type ProgressListener,
  type Sandbox,
  type SandboxProvider,
  type SandboxSpec,
} from '../../sandbox/sandbox.ts';
import {
  precompiledRunnerCommand,
  readRunnerSource,
  runnerCommandOf,
  type RunnerSource,
} from '../../sandbox/runner-command.ts';
import { LONGEST_ANSWER, softwareCommand } from '../../sandbox/software/ask-software.ts';
import { knownSoftware } from '../../sandbox/software/known-software.ts';
import type { SandboxSoftware } from '../../sandbox/software/software.ts';
import { Ownership } from '../../sandbox/ownership/ownership.ts';
import { ProviderStarts } from '../../sandbox/provider-starts.ts';
import { SandboxUsers } from '../../sandbox/sandbox-user.ts';
import { PtcError } from '../../shared/errors.ts';
import { unlessAborted } from '../../shared/async/abort.ts';
import { SharedTask } from '../../shared/async/shared-task.ts';
import { attachContainer } from './container/attach-container.ts';
import { containerConfig, type SandboxContainerOptions } from './container/container-config.ts';
import { startContainer } from './container/container.ts';
import { runCommand } from './container/run-command.ts';
import { LeftContainers } from './container/left-containers.ts';
import { findContainers, removeOrphanedContainers } from './container/found-containers.ts';
import { asUnavailable } from './engine/engine-error.ts';
import { type Engine, findEngine, searchEngine } from './engine/engine.ts';
import { provideImage, type SandboxImage } from './image/image.ts';
import { checkPackages, type ImagePackages } from './image/packages.ts';
import { removeSeccompFile, writeSeccompFile } from './security/seccomp-file.ts';
import { seccompProfile } from './security/seccomp-profile.ts';

export interface DockerProviderOptions {
  /**
   * An image with Python 3.9 or newer.
   * @default an image that is built from `Dockerfile.sandbox` on first use
   */
  readonly image?: string;
  /**
   * Libraries and programs of an image that is built on first use, and again if they change. Cannot
   * be combined with `image`.
   * @default none
   */
  readonly packages?: ImagePackages;
  /**
   * An OCI runtime that the engine has, such as `runsc` for gVisor.
   * @default the engine's default runtime
   */
  readonly runtime?: string;
  /**
   * The address of the engine, as in `DOCKER_HOST`: `unix:///run/docker.sock`, `tcp://host:2375`,
   * `ssh://user@host`.
   * @default DOCKER_HOST, then the Docker context, then the usual sockets of Docker and Podman
   */
  readonly host?: string;
  /** Receives messages about what takes long: the first build or pull of the image. */
  readonly onProgress?: ProgressListener;
}

export const DOCKER_OPTIONS: OptionsObject<DockerProviderOptions> = {
  of: 'dockerProvider',
  names: {
    image: 'text',
    packages: 'object',
    runtime: 'text',
    host: 'text',
    onProgress: 'function',
  },
  page: 'docs/sandboxes.md',
  otherWords: { socket: 'host', socketPath: 'host' },
};

/**
 * Sandboxes are containers of Docker or Podman, without network or capabilities and with a
 * read-only root. Nothing is started before the first sandbox.
 */
export function dockerProvider(options: DockerProviderOptions = {}): SandboxProvider {
  checkOptionNames(options, DOCKER_OPTIONS);
  if (options.packages !== undefined) {
    checkPackages(options.packages);
    if (options.image !== undefined) {
      throw new PtcError(
        'OPTION_INVALID',
        'image and packages cannot be combined. To add packages to an image, set packages.from to it.',
        { details: { option: 'packages' } },
      );
    }
  }
  return new DockerProvider(options);
}

interface Prerequisites {
  readonly image: SandboxImage;
  readonly seccomp: string;
  readonly runner: RunnerSource;
}

class DockerProvider implements SandboxProvider {
  readonly name = 'docker';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript', 'bash'];
  readonly #options: DockerProviderOptions;
  readonly #engine: SharedTask<Engine>;
  #connected: Engine | undefined;
  readonly #prerequisites: SharedTask<Prerequisites>;
  readonly #ownership = new Ownership();
  readonly #users = new SandboxUsers();
  readonly #left = new LeftContainers();
  readonly #starts = new ProviderStarts('Docker');
  #seccompFile: string | undefined;

  constructor(options: DockerProviderOptions) {
    this.#options = options;
    this.#engine = new SharedTask(async () => (this.#connected = await findEngine(options.host)));
    this.#prerequisites = new SharedTask((signal) => this.#findPrerequisites(signal));
  }

  async create(spec: SandboxSpec, { signal }: ProviderCallOptions = {}): Promise<Sandbox> {
    return this.#starts.start(signal, async (within) => this.#start(spec, within));
  }

  async #start(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox> {
    const engine = await this.#engine.result(signal);
    const { docker, kind } = engine;
    const left = this.#left;
    // Nobody waits for it, and it never rejects.
    left.remove().catch(() => undefined);
    return this.#withImage(signal, async (found) => {
      const config = await this.#configure(spec, engine, found);
      const imageName = found.image.reference;
      const firstMessage = firstMessageOf(spec);
      return startContainer(docker, config, {
        engine: kind,
        imageName,
        firstMessage,
        signal,
        left,
      });
    });
  }

  async probe({ signal }: ProviderCallOptions = {}): Promise<Availability> {
    return unlessAborted(this.#probe(), signal, 'The check of the engine');
  }

  async #probe(): Promise<Availability> {
    const search = await searchEngine(this.#options.host);
    if ('refusals' in search) {
      const { reason, refusals, remedy } = search;
      const tried = refusals.length === 0 ? '' : `: ${refusals.join('; ')}`;
      return { usable: false, reason: reason + tried, remedy };
    }
    search.engine.close();
    return { usable: true, description: search.engine.description };
  }

  async prepare({ signal }: ProviderCallOptions = {}): Promise<void> {
    await this.#starts.run(signal, async (within) => this.#prerequisites.result(within));
  }

  async software({ signal }: ProviderCallOptions = {}): Promise<SandboxSoftware | undefined> {
    const software = this.#starts.run(signal, async (within) => {
      const engine = await this.#engine.result(within);
      return this.#withImage(within, async (found) => {
        const ask = async (): Promise<string | undefined> =>
          this.#askSoftware(engine, found, within);
        return knownSoftware({ place: `image ${found.image.id}`, ask });
      });
    });
    return unlessAborted(software, signal);
  }

  async attach(
    sessionId: string,
    { signal }: ProviderCallOptions = {},
  ): Promise<Sandbox | undefined> {
    return this.#starts.run(signal, async (within) => {
      const { docker } = await this.#engine.result(within);
      return attachContainer(docker, sessionId, this.#left, within).catch(asUnavailable);
    });
  }

  async findSandboxes({ signal }: ProviderCallOptions = {}): Promise<readonly FoundSandbox[]> {
    const { docker } = await this.#engine.result(signal);
    const found = findContainers(docker).catch(asUnavailable);
    return unlessAborted(found, signal, 'The search for sandboxes');
  }

  async removeOrphans({ signal }: ProviderCallOptions = {}): Promise<readonly FoundSandbox[]> {
    const { docker } = await this.#engine.result(signal);
    const removed = removeOrphanedContainers(docker, signal).catch(asUnavailable);
    return unlessAborted(removed, signal, 'The removal of orphans');
  }

  async close(): Promise<void> {
    await this.#starts.close();
    await this.#left.remove();
    this.#connected?.close();
    await this.#ownership.release();
    if (this.#seccompFile !== undefined) await removeSeccompFile(this.#seccompFile);
  }

  async #askSoftware(
    engine: Engine,
    found: Prerequisites,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const spec = { sessionId: randomUUID(), languages: [], limits: DEFAULT_LIMITS };
    const config = await this.#configure(spec, engine, found, await softwareCommand());
    const imageName = found.image.reference;
    const options = { engine: engine.kind, imageName, outputBytes: LONGEST_ANSWER, signal };
    return runCommand(engine.docker, config, { ...options, left: this.#left });
  }

  /**
   * Uses the image. If it was removed after it was found, it is looked for, and built or pulled, once
   * more.
   */
  async #withImage<Result>(
    signal: AbortSignal | undefined,
    use: (found: Prerequisites) => Promise<Result>,
  ): Promise<Result> {
    const found = await this.#prerequisites.result(signal);
    try {
      return await use(found);
    } catch (error) {
      if (!PtcError.isInstance(error) || error.code !== 'IMAGE_UNAVAILABLE') throw error;
      this.#prerequisites.forgetResult(found);
      return use(await this.#prerequisites.result(signal));
    }
  }

  async #configure(
    spec: SandboxSpec,
    { kind }: Engine,
    { image, seccomp, runner }: Prerequisites,
    ownCommand?: readonly string[],
  ): Promise<SandboxContainerOptions> {
    const user = this.#users.next();
    const runnerCommand = image.hasRunner ? precompiledRunnerCommand : runnerCommandOf;
    return containerConfig(spec, {
      // Its name may belong to another image by now, which may have another runner or none.
      image: image.id,
      command: ownCommand ?? runnerCommand(runner, spec),
      engine: kind,
      seccomp,
      user: `${user}:${user}`,
      owner: await this.#ownership.label(),
      name: `sandboxed-ptc-${randomUUID()}`,
      runtime: this.#options.runtime,
    });
  }

  async #findPrerequisites(signal: AbortSignal): Promise<Prerequisites> {
    const [{ docker, kind }, runner] = await Promise.all([
      this.#engine.result(signal),
      readRunnerSource(),
    ]);
    const { onProgress = (): void => undefined, image: name, packages } = this.#options;
    const about = { docker, image: name, packages, runner, onProgress, signal };
    const image = await provideImage(about);
    const seccomp =
      kind === 'podman'
        ? (this.#seccompFile ??= await writeSeccompFile())
        : JSON.stringify(seccompProfile());
    return { image, seccomp, runner };
  }
}

/**
 * The first message to a persistent sandbox. It says when the sandbox ends, so it is sent before
 * the start: the host may die right afterwards.
 */
function firstMessageOf({ persistent }: SandboxSpec): HostMessage | undefined {
  const { idleLimitMs = 0 } = persistent ?? {};
  return persistent && { kind: 'attach', attach_id: 'start', idle_limit_ms: idleLimitMs };
}
