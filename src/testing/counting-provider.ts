import type { LanguageName } from '../protocol/messages.ts';
import type {
  Availability,
  CreateOptions,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../sandbox/sandbox.ts';

/** Passes everything on to the provider under test, and knows which sandboxes it has made and not ended. */
export class CountingProvider implements SandboxProvider {
  readonly name: string;
  readonly languages: readonly LanguageName[];
  /** The sandboxes that are there, by their sessions. */
  readonly open: Map<string, Sandbox> = new Map();
  readonly #provider: SandboxProvider;

  constructor(provider: SandboxProvider) {
    this.#provider = provider;
    this.name = provider.name;
    this.languages = provider.languages;
  }

  async create(spec: SandboxSpec, options?: CreateOptions): Promise<Sandbox> {
    const sandbox = await this.#provider.create(spec, options);
    this.open.set(spec.sessionId, sandbox);
    return {
      id: sandbox.id,
      transport: sandbox.transport,
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
