import { runnerCommand, startProcess } from '../../src/sandbox/provider-kit.ts';
import type { SandboxProvider } from '../../src/sandbox/provider-kit.ts';
import { contractSuite, type ContractSubject } from '../../src/testing/index.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

/** How a provider differs from one that isolates. */
export interface Leak {
  /** A command that starts bubblewrap. @default none */
  readonly starter?: readonly string[];
  /** Options of bubblewrap. @default none */
  readonly options?: readonly string[];
  /** @default only `PATH` */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const ISOLATION = ['bwrap', '--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr'];
const LINKS = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => [
  ...['--symlink', `usr/${name}`, `/${name}`],
]);
const FILES = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];

/** Sandboxes with a root, a `/tmp`, processes and a network of their own, but for the leak. */
export function leakyProvider({ starter = [], options = [], environment }: Leak): SandboxProvider {
  const isolation = [...starter, ...ISOLATION, ...LINKS, ...FILES, ...options, '--'];
  return {
    ...unisolatedLocalProvider(),
    create: async (spec, callOptions) =>
      startProcess([...isolation, ...(await runnerCommand(spec))], {
        ...callOptions,
        environment: environment ?? { PATH: process.env['PATH'] },
        directory: '/',
      }),
  };
}

/** Runs the contract test whose title begins so. */
export async function runContractTest(
  title: string,
  { language, provider }: Pick<ContractSubject, 'language' | 'provider'>,
): Promise<void> {
  await using suite = contractSuite({ name: 'leaky', language, provider });
  const found = suite.tests.find((test) => test.title.startsWith(title));
  if (found === undefined) throw new Error(`No title begins with ${title}`);
  await found.run();
}
