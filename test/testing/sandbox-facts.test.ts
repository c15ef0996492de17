import { expect, it } from 'vitest';
import type { Protection, Sandbox, SecurityReport } from '../../src/sandbox/provider-kit.ts';
import { runBroken, type Broken } from './whole-provider.ts';

it.each([
  ['the same id', 'same', /Two sandboxes have the id same/],
  ['no ids', '', /the value is not as expected/],
])('finds sandboxes with %s', async (_, id, message) => {
  await expect(
    runBroken('two sandboxes have different ids', { sandbox: () => ({ id }) }),
  ).rejects.toThrow(message);
});

const memory = 'the memory of a sandbox';

it.each([NaN, -1, 0.5])('finds a memory of %d bytes', async (bytes) => {
  const broken = { sandbox: () => ({ memoryUsage: async () => bytes }) };
  await expect(runBroken(memory, broken)).rejects.toThrow(
    new RegExp(`memoryUsage returned ${bytes}`),
  );
});

it('finds a sandbox whose memory cannot be asked for after its end', async () => {
  const broken: Broken = {
    sandbox: (whole) => ({
      memoryUsage: async () => {
        const bytes = await whole.memoryUsage();
        if (bytes === undefined) throw new Error('It has ended.');
        return bytes;
      },
    }),
  };
  await expect(runBroken(memory, broken)).rejects.toThrow(/It has ended\./);
});

const protection: Protection = {
  ...{ name: 'network', asked: 'none', applied: undefined },
  ...{ holds: true, missing: 'it is reached' },
};

it.each<[string, SecurityReport, RegExp]>([
  ['no protections', { protections: [], notes: [] }, /The report has no protections/],
  [
    'a protection that nobody asked for',
    { protections: [{ ...protection, asked: '' }], notes: [] },
    /the value\.asked is not as expected/,
  ],
  [
    'a protection of which it does not say if it holds',
    { protections: [{ ...protection, holds: 'yes' as unknown as boolean }], notes: [] },
    /"holds":"yes"/,
  ],
])('finds a report with %s', async (_, report, message) => {
  const broken = { sandbox: () => ({ security: async () => report }) };
  await expect(runBroken('a sandbox reports its protections', broken)).rejects.toThrow(message);
});

it('finds a sandbox that has ended and throws an error of its own for the report', async () => {
  const broken: Broken = {
    sandbox: (whole) => ({
      security: async () =>
        whole.security().catch(() => {
          throw new Error('There is no such process.');
        }),
    }),
  };
  const message = /security should throw a PtcError with the code SANDBOX_UNAVAILABLE/;
  await expect(runBroken('a sandbox reports its protections', broken)).rejects.toThrow(message);
});

it.each([
  { name: 'Python', version: '' },
  { name: 'Python', version: '3.13.5', libraries: [{ name: '', version: '1.0' }] },
])('finds the software %j', async (python) => {
  const broken = { provider: () => ({ software: async () => ({ python }) }) };
  await expect(runBroken('the software of the sandboxes', broken)).rejects.toThrow(
    /is not as expected/,
  );
});

it('finds a provider that takes over a sandbox which is not there', async () => {
  const transport = {} as Sandbox['transport'];
  const attach = async (): Promise<Sandbox> => ({ id: 'none', transport, close: async () => {} });
  const broken = { provider: () => ({ attach }) };
  await expect(runBroken('a session without a sandbox', broken)).rejects.toThrow(/id: 'none'/);
});

it.each<[string, Broken['provider'], RegExp]>([
  ['does not list its sandbox', () => ({ findSandboxes: async () => [] }), /is not as expected/],
  [
    'calls its sandbox an orphan',
    (whole) => ({
      findSandboxes: async () =>
        (await whole.findSandboxes()).map((found) => ({ ...found, verdict: 'orphan' })),
    }),
    /verdict is not as expected/,
  ],
  [
    'removes its sandbox as an orphan',
    (whole) => ({ removeOrphans: async (options) => whole.findSandboxes(options) }),
    /removeOrphans removed a sandbox whose owner lives/,
  ],
])('finds a provider that %s', async (_, provider, message) => {
  await expect(
    runBroken('a sandbox is listed until', { ...(provider && { provider }) }),
  ).rejects.toThrow(message);
});
