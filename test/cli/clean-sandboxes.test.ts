import { expect, it, vi } from 'vitest';
import { cleanProvider } from '../../src/cli/commands/clean-sandboxes.ts';
import { colorsFor } from '../../src/cli/terminal/terminal.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

it('doctor --clean has what dead hosts left removed, although there is no sandbox', async () => {
  const removeOrphans = vi.fn<() => Promise<[]>>(async () => []);
  const provider = {
    ...unisolatedLocalProvider(),
    probe: async () => ({ usable: true, description: '' }) as const,
    findSandboxes: async () => [],
    removeOrphans,
  };
  expect(await cleanProvider(provider, colorsFor(process.stdout))).toBe('no sandboxes.');
  expect(removeOrphans).toHaveBeenCalledOnce();
});
