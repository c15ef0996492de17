import type { LanguageName } from '../../protocol/messages.ts';
import type {
  Availability,
  CreateOptions,
  ProgressListener,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../sandbox/sandbox.ts';
import { throwIfAborted, unlessAborted } from '../../shared/abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { bootInput } from './boot-input.ts';
import { probeDeno } from './deno-probe.ts';
import { startSandbox } from './embedded-sandbox.ts';
import { javascriptWorker } from './javascript-worker.ts';
import { type EnginePackages, findEnginePackages, REMEDY } from './engine-packages.ts';
import { commandFor, type Ingredients, prepareIngredients } from './ingredients.ts';

export interface EmbeddedProviderOptions {
  /** Told of what takes long: the preparation of Python on first use. */
  readonly onProgress?: ProgressListener;
}

/**
 * Sandboxes without an engine: CPython in WebAssembly, in a Deno process with every permission denied.
 *
 * Of `limits`, `memoryBytes` is what programs may use on top of the interpreter, which itself takes
 * about 160 MB of a process, a third of it shared; `temporaryStorageBytes` bounds all of its files, which are in memory. It
 * is one process with one busy thread at most, whatever `cpus` and `processes` say.
 */
export function embeddedProvider(options: EmbeddedProviderOptions = {}): SandboxProvider {
  return new EmbeddedProvider(options, findEnginePackages);
}

export class EmbeddedProvider implements SandboxProvider {
  readonly name = 'embedded';
  readonly languages: readonly LanguageName[] = ['python', 'typescript', 'javascript'];
  readonly #onProgress: ProgressListener;
  readonly #findPackages: typeof findEnginePackages;
  readonly #closing = new AbortController();
  #ingredients: Promise<Ingredients> | undefined;

  /** @param findPackages - Finds Deno and Pyodide. */
  constructor(options: EmbeddedProviderOptions, findPackages: typeof findEnginePackages) {
    this.#onProgress = options.onProgress ?? ((): void => {});
    this.#findPackages = findPackages;
  }

  async create(spec: SandboxSpec, { signal }: CreateOptions = {}): Promise<Sandbox> {
    if (this.#closing.signal.aborted) {
      throw new PtcError('CLOSED', 'The embedded provider was closed.');
    }
    throwIfAborted(signal);
    const packages = this.#packages();
    const { memoryBytes, temporaryStorageBytes } = spec.limits;
    const limits = { memoryBytes, temporaryStorageBytes };
    const needsPython = spec.languages.includes('python');
    const needsJavascript = spec.languages.some((language) => language !== 'python');
    const input = bootInput({
      ...limits,
      ...(needsPython && { python: await unlessAborted(this.#prepare(packages), signal) }),
      ...(needsJavascript && { javascript: await javascriptWorker() }),
    });
    const sandbox = await startSandbox(commandFor(packages, limits), input);
    if (signal?.aborted) await sandbox.close();
    throwIfAborted(signal);
    return sandbox;
  }

  async probe(): Promise<Availability> {
    const packages = this.#findPackages();
    if ('reason' in packages) return { usable: false, reason: packages.reason, remedy: REMEDY };
    return probeDeno(packages);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#ingredients = undefined;
  }

  #packages(): EnginePackages {
    const packages = this.#findPackages();
    if (!('reason' in packages)) return packages;
    const message = `The embedded engine cannot be used: ${packages.reason}. ${REMEDY}`;
    throw new PtcError('SANDBOX_UNAVAILABLE', message);
  }

  /** Once for all sandboxes; a failure is forgotten, so that the next one tries again. */
  async #prepare(packages: EnginePackages): Promise<Ingredients> {
    const run = (this.#ingredients ??= prepareIngredients(
      packages,
      this.#onProgress,
      this.#closing.signal,
    ));
    try {
      return await run;
    } catch (error) {
      if (this.#ingredients === run) this.#ingredients = undefined;
      throw error;
    }
  }
}
