import { access } from 'node:fs/promises';
import type { LanguageName } from '../../protocol/messages.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import type {
  Availability,
  ProviderCallOptions,
  ProgressListener,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../sandbox/sandbox.ts';
import { ProviderStarts } from '../../sandbox/provider-starts.ts';
import type { SandboxSoftware } from '../../sandbox/software/software.ts';
import { throwIfAborted, unlessAborted } from '../../shared/async/abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { readOwnFiles } from '../../shared/installation.ts';
import { bootInput, SUPERVISOR_PATH } from './boot-input.ts';
import { probeDeno } from './deno/deno-probe.ts';
import { startSandbox } from './embedded-sandbox.ts';
import { embeddedSoftware } from './embedded-software.ts';
import { javascriptWorker } from './deno/javascript-worker.ts';
import { type EmbeddedPackages, findEmbeddedPackages, REMEDY } from './embedded-packages.ts';
import { checkWheels, type Wheel, wheelVersions } from './wheels.ts';
import { commandFor, type PreparedPython, preparePython } from './snapshot/prepare-python.ts';

export interface EmbeddedProviderOptions {
  /** Receives messages about what takes long: the preparation of Python on first use. */
  readonly onProgress?: ProgressListener;
  /**
   * Libraries for programs in Python: wheels of pure Python, or made for Pyodide. They are unpacked
   * and compiled once, into the snapshot.
   * @default none
   */
  readonly wheels?: readonly Wheel[];
}

export const EMBEDDED_OPTIONS: OptionsObject<EmbeddedProviderOptions> = {
  of: 'embeddedProvider',
  names: {
    onProgress: 'function',
    wheels: 'array',
  },
  page: 'docs/sandboxes.md',
};

/**
 * Sandboxes without a container engine and without root: CPython in WebAssembly, and JavaScript, in
 * a Deno process with every permission denied.
 *
 * `memoryBytes` limits the memory of programs, in addition to the interpreter, which takes about
 * 160 MB of a process, a third of it shared. `temporaryStorageBytes` limits all files, which are in
 * memory. The sandbox is one process with at most one busy thread, so `cpus` and `processes` have
 * no effect.
 * @throws PtcError `OPTION_INVALID`. Wheels are read when Python is first needed: `create` then throws
 * `OPTION_INVALID` if one cannot be used.
 */
export function embeddedProvider(options: EmbeddedProviderOptions = {}): SandboxProvider {
  checkOptionNames(options, EMBEDDED_OPTIONS);
  checkWheels(options.wheels);
  return new EmbeddedProvider(options, findEmbeddedPackages);
}

/** The provider. Tests give it other parts. */
export class EmbeddedProvider implements SandboxProvider {
  readonly name = 'embedded';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript'];
  readonly #onProgress: ProgressListener;
  readonly #wheels: readonly Wheel[] | undefined;
  readonly #findPackages: typeof findEmbeddedPackages;
  readonly #starts = new ProviderStarts('embedded');
  #python: Promise<PreparedPython> | undefined;

  /** @param findPackages - Finds Deno and Pyodide. */
  constructor(options: EmbeddedProviderOptions, findPackages: typeof findEmbeddedPackages) {
    this.#onProgress = options.onProgress ?? ((): void => {});
    this.#wheels = options.wheels;
    this.#findPackages = findPackages;
  }

  async create(spec: SandboxSpec, { signal }: ProviderCallOptions = {}): Promise<Sandbox> {
    return this.#starts.start(signal, async (within) => this.#start(spec, within));
  }

  async #start(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox> {
    const packages = this.#packages();
    // If it is missing, Deno only says so and ends.
    await readOwnFiles(async () => access(SUPERVISOR_PATH));
    const { memoryBytes, temporaryStorageBytes } = spec.limits;
    const limits = { memoryBytes, temporaryStorageBytes };
    const needsPython = spec.languages.includes('python');
    const needsJavascript = spec.languages.some((language) => language !== 'python');
    const input = bootInput({
      ...limits,
      ...(needsPython && { python: await unlessAborted(this.#prepare(packages), signal) }),
      ...(needsJavascript && { javascript: await javascriptWorker() }),
    });
    return startSandbox(commandFor(packages, limits), input);
  }

  async probe({ signal }: ProviderCallOptions = {}): Promise<Availability> {
    const what = 'The check of Deno';
    throwIfAborted(signal, what);
    const packages = this.#findPackages();
    if ('reason' in packages) return { usable: false, reason: packages.reason, remedy: REMEDY };
    return unlessAborted(probeDeno(packages), signal, what);
  }

  async software({ signal }: ProviderCallOptions = {}): Promise<SandboxSoftware> {
    const what = 'The question for the software of sandboxes';
    throwIfAborted(signal, what);
    const software = embeddedSoftware(this.#packages(), wheelVersions(this.#wheels));
    return unlessAborted(software, signal, what);
  }

  async close(): Promise<void> {
    await this.#starts.close();
    this.#python = undefined;
  }

  #packages(): EmbeddedPackages {
    const packages = this.#findPackages();
    if (!('reason' in packages)) return packages;
    const message = `The embedded provider cannot be used: ${packages.reason}. ${REMEDY}`;
    throw new PtcError('SANDBOX_UNAVAILABLE', message);
  }

  /**
   * Prepares Python once for all sandboxes. A failure is not kept, so that the next sandbox tries
   * again.
   */
  async #prepare(packages: EmbeddedPackages): Promise<PreparedPython> {
    const options = {
      onProgress: this.#onProgress,
      signal: this.#starts.closing,
      wheels: this.#wheels,
    };
    const run = (this.#python ??= preparePython(packages, options));
    try {
      return await run;
    } catch (error) {
      if (this.#python === run) this.#python = undefined;
      throw error;
    }
  }
}
