import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  Availability,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../../src/sandbox/sandbox.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import type { Ledger } from './ledger.ts';
import { seededRandom } from './random.ts';
import { HostileRunner } from './runner.ts';

/**
 * A DOUBLE of a provider: its sandboxes hold no interpreter, but a supervisor that is hostile itself.
 * No real one can be made to be: ours is the one part of a sandbox that no program gets at. All on the
 * host's side of the streams is real. The first sandboxes are honest ones, with our own runner.
 */
export class HostileProvider implements SandboxProvider {
  readonly name = 'hostile-double';
  readonly languages = ['python'] as const;
  /** Whether sandboxes are honest from now on. */
  honest = true;
  readonly #ledger: Ledger;
  readonly #seed: number;
  readonly #local: SandboxProvider = unisolatedLocalProvider();
  #created = 0;

  constructor(ledger: Ledger, seed: number) {
    this.#ledger = ledger;
    this.#seed = seed;
  }

  async create(spec: SandboxSpec): Promise<Sandbox> {
    if (this.honest) return this.#local.create(spec);
    this.#created += 1;
    const random = seededRandom(this.#seed * 1_000_003 + this.#created);
    const runner = new HostileRunner(spec.sessionId, random, this.#ledger);
    return {
      id: `hostile-${this.#created}`,
      transport: runner.transport,
      close: async () => {
        const signals = [...(this.#ledger.signals.get(spec.sessionId) ?? [])];
        runner.record.callsEndedBeforeClose ??= signals.every(({ aborted }) => aborted);
        // In the order of a real one: the streams first.
        runner.transport.destroy();
        await nextTurn();
        runner.stop();
        runner.record.gone = true;
      },
    };
  }

  async probe(): Promise<Availability> {
    return { usable: true, description: 'a double' };
  }

  async close(): Promise<void> {
    await this.#local.close();
  }
}
