import { untilAborted } from '../shared/async/abort.ts';
import { createDeferred, type Deferred } from '../shared/async/deferred.ts';
import type { SessionKeys } from '../sandbox/keys/keys.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type {
  Availability,
  ProviderCallOptions,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../sandbox/sandbox.ts';
import type { SandboxSoftware } from '../sandbox/software/software.ts';

/** How long sandboxes may take to end. */
const CLOSE_LIMIT_MS = 60_000;

/** A provider that uses another provider and records its sandboxes. */
export class RecordingProvider implements SandboxProvider {
  readonly name: string;
  readonly languages: readonly LanguageName[];
  /** The provider that it uses, with all of its functions. It does not record what is called there. */
  readonly original: SandboxProvider;
  /** All sandboxes that were made, by the ids of their sessions. */
  readonly created: Map<string, Sandbox> = new Map();
  /** The ends of the sandboxes that are not closed, by the ids of their sessions. */
  readonly open: Map<string, Deferred<void>> = new Map();
  /** Present if the provider's is. */
  readonly keys?: SessionKeys;
  /** Present if the provider's is. */
  readonly attach?: NonNullable<SandboxProvider['attach']>;
  readonly #starts: Set<Promise<unknown>> = new Set();

  constructor(provider: SandboxProvider) {
    this.original = provider;
    this.name = provider.name;
    this.languages = provider.languages;
    if (provider.keys !== undefined) this.keys = provider.keys;
    if (provider.attach === undefined) return;
    this.attach = async (sessionId, options) => {
      const sandbox = await provider.attach?.(sessionId, options);
      return sandbox && this.#record(sessionId, sandbox);
    };
  }

  async create(spec: SandboxSpec, options?: ProviderCallOptions): Promise<Sandbox> {
    const start = this.#create(spec, options);
    this.#starts.add(start);
    return start.finally(() => this.#starts.delete(start));
  }

  async #create(spec: SandboxSpec, options: ProviderCallOptions | undefined): Promise<Sandbox> {
    return this.#record(spec.sessionId, await this.original.create(spec, options));
  }

  #record(sessionId: string, sandbox: Sandbox): Sandbox {
    const closed = createDeferred<void>();
    this.created.set(sessionId, sandbox);
    this.open.set(sessionId, closed);
    const { id, transport } = sandbox;
    return {
      id,
      transport,
      ...(sandbox.detach && { detach: async () => sandbox.detach?.() }),
      close: async () => {
        await sandbox.close();
        // An earlier host of a persistent sandbox may have recorded it too.
        this.open.get(sessionId)?.resolve();
        this.open.delete(sessionId);
        closed.resolve();
      },
    };
  }

  /**
   * Resolves when all sandboxes are closed, or after a minute. An executor that is closed does not
   * wait for all of them: on a busy machine, they may take longer.
   * @returns the ids of the sessions whose sandboxes remain.
   */
  async remaining(): Promise<readonly string[]> {
    const ends = async (): Promise<void> => {
      await Promise.allSettled(this.#starts);
      await Promise.all([...this.open.values()].map(async ({ promise }) => promise));
    };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), CLOSE_LIMIT_MS);
    await untilAborted(ends(), late.signal);
    clearTimeout(timer);
    return [...this.open.keys()];
  }

  async probe(options?: ProviderCallOptions): Promise<Availability> {
    return this.original.probe(options);
  }

  async software(options?: ProviderCallOptions): Promise<SandboxSoftware | undefined> {
    return this.original.software?.(options);
  }

  async close(): Promise<void> {
    await this.original.close();
  }
}
