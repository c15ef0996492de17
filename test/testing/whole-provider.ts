import { throwIfAborted } from '../../src/shared/async/abort.ts';
import { PtcError } from '../../src/shared/errors.ts';
import type {
  FoundSandbox,
  ProviderCallOptions,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../src/sandbox/provider-kit.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { openSuite, runTest } from './local-suite.ts';

/** A provider with all optional functions, as are its sandboxes. */
export type WholeProvider = Required<Omit<SandboxProvider, 'keys'>>;

export type WholeSandbox = Required<Sandbox>;

/** What is different in a provider that breaks a rule. */
export interface Broken {
  readonly provider?: (whole: WholeProvider) => Partial<SandboxProvider>;
  readonly sandbox?: (whole: WholeSandbox) => Partial<Sandbox>;
}

/** UNISOLATED, for tests only: ordinary processes, with all that the contract of a provider has, but for what is broken. */
export function wholeProvider(broken: Broken = {}): SandboxProvider {
  const local = unisolatedLocalProvider();
  const open = new Map<string, FoundSandbox>();
  const unlessAborted = <Result>(result: () => Result) => {
    return async ({ signal }: ProviderCallOptions = {}): Promise<Result> => {
      throwIfAborted(signal);
      return result();
    };
  };
  const create = async (spec: SandboxSpec, options?: ProviderCallOptions): Promise<Sandbox> => {
    const sandbox = await local.create(spec, options);
    const { sessionId } = spec;
    const { id, transport } = sandbox;
    const listed = { createdAtMs: Date.now(), state: 'running', verdict: 'live' } as const;
    open.set(id, { id, sessionId, owner: undefined, ...listed });
    const whole: WholeSandbox = {
      id,
      transport,
      detach: async () => transport.destroy(),
      memoryUsage: async () => (open.has(id) ? 1024 : undefined),
      security: async () => {
        if (!open.has(id)) throw new PtcError('SANDBOX_UNAVAILABLE', 'The sandbox has ended.');
        const protection = { asked: 'none', applied: undefined, holds: false, missing: 'reached' };
        return { protections: [{ name: 'network', ...protection }], notes: [] };
      },
      close: async () => {
        await sandbox.close();
        open.delete(id);
      },
    };
    return { ...whole, ...broken.sandbox?.(whole) };
  };
  const whole: WholeProvider = {
    name: local.name,
    languages: local.languages,
    create,
    attach: async (_, options) => unlessAborted(() => undefined)(options),
    probe: async (options) => local.probe(options),
    prepare: unlessAborted(() => undefined),
    software: unlessAborted(() => ({ python: { name: 'Python', version: '3.13.5' } })),
    findSandboxes: unlessAborted(() => [...open.values()]),
    removeOrphans: unlessAborted(() => []),
    close: async () => local.close(),
  };
  return { ...whole, ...broken.provider?.(whole) };
}

/** Runs the contract test that has this in its title with such a provider. */
export async function runBroken(title: string, broken: Broken): Promise<void> {
  await runTest(openSuite({ provider: () => wholeProvider(broken) }), title);
}
