import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { runCli, type Finished } from '../support/built-package.ts';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';
import { ProgramDirectory } from './support.ts';

/** How a provider of a module isolates less than it should. */
interface Leak {
  /** A command that starts bubblewrap. */
  readonly starter?: readonly string[];
  /** Options of bubblewrap. */
  readonly options?: readonly string[];
  /** The environment of its sandboxes, as an expression that is evaluated when it is made. */
  readonly environment?: string;
}

function leakyModule({
  starter = [],
  options = [],
  environment = '{ PATH: process.env.PATH }',
}: Leak): string {
  const links = ['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const isolation = ['bwrap', '--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr'];
  const files = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  const command = [...starter, ...isolation, ...links, ...files, ...options, '--'];
  const kit = pathToFileURL(resolve('dist/sandbox/provider-kit.js')).href;
  return `
import { runnerCommand, startProcess } from ${JSON.stringify(kit)};
const environment = ${environment};
export default {
  name: 'leaky',
  languages: ['python'],
  create: async (spec, options) =>
    startProcess([...${JSON.stringify(command)}, ...(await runnerCommand(spec))], {
      ...options,
      environment,
      directory: '/',
    }),
  probe: async () => ({ usable: true, description: 'bwrap' }),
  close: async () => {},
};
`;
}

/** Runs `doctor --security` with the directory for temporary files that every user can enter. */
async function examine(leak: Leak): Promise<Finished> {
  await using directory = await ProgramDirectory.with({ 'provider.mjs': leakyModule(leak) });
  const module = join(directory.path, 'provider.mjs');
  return await runCli(['doctor', '--security', '--provider', module], { env: { TMPDIR: '/tmp' } });
}

describeWithBubblewrap('doctor --security finds that a provider leaves', () => {
  it('the environment that the host had when the provider was made', async () => {
    const { stdout } = await examine({ environment: '{ ...process.env }' });
    expect(stdout).toMatch(/^environment .* the host’s among them +missing$/m);
  });

  it('the files of the host, to another user', skippedFor(NO_ROOT), async () => {
    const { stdout } = await examine({
      starter: ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'],
      options: ['--ro-bind', '/', '/old'],
    });
    expect(stdout).toMatch(/^host directories .* the host’s files in \/old .* missing$/m);
  });
});
