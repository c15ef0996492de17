import { describe, expect, test } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import {
  loadProvider,
  PROVIDER_NAMES,
  type ProviderName,
  selectBest,
} from '../../src/providers/select-provider.ts';
import type { Availability, SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { LanguageName } from '../../src/protocol/messages.ts';

const MISSING: Availability = { usable: false, reason: 'not there', remedy: 'Install it.' };
const WORKS: Availability = { usable: true, description: 'works' };
const WATCHED: Availability = { usable: true, description: 'watched', boundsMemory: false };

/** What each provider is like, and the names of those that were closed. */
async function selectAmong(
  availabilities: Readonly<Record<Exclude<ProviderName, 'kubernetes'>, Availability>>,
  languages: readonly LanguageName[] = ['python'],
  prepareDocker?: () => Promise<void>,
): Promise<{ chosen: string; closed: readonly string[]; said: readonly string[] }> {
  const closed: string[] = [];
  const said: string[] = [];
  const load = async (name: ProviderName): Promise<SandboxProvider> => ({
    name,
    languages: name === 'embedded' ? ['python'] : ['python', 'bash'],
    create: () => Promise.reject(new Error('None is wanted.')),
    probe: async () => (name === 'kubernetes' ? MISSING : availabilities[name]),
    close: async () => void closed.push(name),
    ...(name === 'docker' && prepareDocker && { prepare: prepareDocker }),
  });
  const onProgress = (message: string): void => void said.push(message);
  const { name } = await selectBest(load, { languages, onProgress });
  return { chosen: name, closed, said };
}

describe('auto', () => {
  test('takes the first that works', async () => {
    const all = { docker: MISSING, bubblewrap: WORKS, embedded: WORKS };
    const { chosen, closed } = await selectAmong(all);
    expect([chosen, closed]).toEqual(['bubblewrap', ['docker']]);
  });

  test('prefers one with a firm memory limit, and says why [host/auto-watched]', async () => {
    const all = { docker: MISSING, bubblewrap: WATCHED, embedded: WORKS };
    const { chosen, closed, said } = await selectAmong(all);
    expect([chosen, closed]).toEqual(['embedded', ['docker', 'bubblewrap']]);
    expect(said).toEqual([
      'Not bubblewrap: the kernel does not limit the memory of its sandboxes on this machine.',
      'Provider: works',
    ]);
  });

  test('takes one without a firm memory limit if no other works [host/auto-watched]', async () => {
    const all = { docker: MISSING, bubblewrap: WATCHED, embedded: MISSING };
    const { chosen, said } = await selectAmong(all);
    expect([chosen, said]).toEqual(['bubblewrap', ['Provider: watched']]);
  });

  test('takes no provider that lacks a language if another one has it', async () => {
    const all = { docker: MISSING, bubblewrap: WATCHED, embedded: WORKS };
    const { chosen, closed } = await selectAmong(all, ['python', 'bash']);
    expect([chosen, closed]).toEqual(['bubblewrap', ['docker', 'embedded']]);
  });

  test('tries the next one if one cannot be prepared, and says why', async () => {
    const all = { docker: WORKS, bubblewrap: WORKS, embedded: WORKS };
    const error = new PtcError('IMAGE_UNAVAILABLE', 'No image could be built.');
    const { chosen, closed, said } = await selectAmong(all, ['python'], () =>
      Promise.reject(error),
    );
    expect([chosen, closed]).toEqual(['bubblewrap', ['docker']]);
    expect(said).toEqual(['Not docker: No image could be built.', 'Provider: works']);
  });

  test('says why none could be prepared if no other works', async () => {
    const all = { docker: WORKS, bubblewrap: MISSING, embedded: MISSING };
    const error = new PtcError('IMAGE_UNAVAILABLE', 'No image could be built.');
    const selecting = selectAmong(all, ['python'], () => Promise.reject(error));
    await expect(selecting).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining(
        'docker: No image could be built.\nbubblewrap: not there. Install it.',
      ),
    });
  });

  test.for([
    new PtcError('ABORTED', 'The caller aborted.'),
    new TypeError('A fault of this package.'),
  ])('does not go on after %s', async (fault) => {
    const all = { docker: WORKS, bubblewrap: WORKS, embedded: WORKS };
    const selecting = selectAmong(all, ['python'], () => Promise.reject(fault));
    await expect(selecting).rejects.toBe(fault);
  });

  test('says of each why it cannot be used [host/auto]', async () => {
    const all = { docker: MISSING, bubblewrap: MISSING, embedded: MISSING };
    await expect(selectAmong(all)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('bubblewrap: not there. Install it.'),
    });
  });
});

test.each(PROVIDER_NAMES)('the name %s stands for the provider with this name', async (name) => {
  const provider = await loadProvider(name);
  await provider.close();
  expect(provider.name).toBe(name);
});
