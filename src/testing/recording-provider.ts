import type { LanguageName } from '../protocol/messages.ts';
import type {
  Availability,
  CreateOptions,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../sandbox/sandbox.ts';

/** A provider that uses another provider and records its sandboxes. */
export class RecordingProvider implements SandboxProvider {
  readonly name: string;
  readonly languages: readonly LanguageName[];
  /** All sandboxes that were made, by the ids of their sessions. */
  readonly created: Map<string, Sandbox> = new Map();
  /** The ids of the sessions whose sandboxes are not closed. */
  readonly open: Set<string> = new Set();
  readonly #provider: SandboxProvider;

  constructor(provider: SandboxProvider) {
    this.#provider = provider;
    this.name = provider.name;
    this.languages = provider.languages;
  }

  async create(spec: SandboxSpec, options?: CreateOptions): Promise<Sandbox> {
    const sandbox = await this.#provider.create(spec, options);
    this.created.set(spec.sessionId, sandbox);
    this.open.add(spec.sessionId);
    const { id, transport } = sandbox;
    return {
      id,
      transport,
      close: async () => {
        await sandbox.close();
        this.open.delete(spec.sessionId);
      },
    };
  }

  async probe(): Promise<Availability> {
    return this.#provider.probe();
  }

  async close(): Promise<void> {
    await this.#provider.close();
  }
}
