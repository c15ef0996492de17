import { expect, it, vi } from 'vitest';
import { cleanProvider } from '../../src/cli/commands/clean-sandboxes.ts';
import { colorsFor } from '../../src/cli/terminal/terminal.ts';
import { runCli } from '../support/built-package.ts';
import { startFakeEngine } from '../support/fake-engine.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

it('doctor --clean has what dead hosts left removed, although there is no sandbox', async () => {
  const removeOrphans = vi.fn<() => Promise<[]>>(async () => []);
  const provider = {
    ...unisolatedLocalProvider(),
    probe: async () => ({ usable: true, description: '' }) as const,
    findSandboxes: async () => [],
    removeOrphans,
  };
  expect(await cleanProvider(provider, colorsFor(process.stdout))).toEqual({
    sentence: 'no sandboxes.',
    failed: false,
  });
  expect(removeOrphans).toHaveBeenCalledOnce();
});

it('doctor --clean ends with 1 if an engine fails, and still cleans the rest', async () => {
  await using engine = await startFakeEngine({
    special: ({ url = '' }, response) => {
      if (!url.includes('/containers/json')) return false;
      response.writeHead(500).end('{"message":"the disk is broken"}');
      return true;
    },
  });
  const { status, stdout } = await runCli(['doctor', '--clean'], {
    env: { DOCKER_HOST: engine.host },
  });
  expect(stdout).toMatch(/^docker: .*the disk is broken/m);
  expect(stdout).toMatch(/^embedded: .*nothing to clean/m);
  expect(stdout).toMatch(/^names: /m);
  expect(status).toBe(1);
});
