// The hostile programs of the security tests, and what they are lured with.

import assert from 'node:assert/strict';

/** Reads the programs that a provider has no gap for, and opens a port of the host's that none may reach. */
export async function openCorpus(providerName) {
  // What reads them is TypeScript, as the tests are.
  await import('../../test/support/worker-typescript.mjs');
  const { corpusPaths, readCorpusCase } = await import('../../test/security/corpus-case.ts');
  const { Lure } = await import('../../test/security/lure.ts');
  const lure = new Lure();
  await lure.open();
  return {
    /** Each with its path, language and code. */
    attacks: corpusPaths()
      .map((path) => readCorpusCase(path))
      .filter(({ gaps }) => gaps?.[providerName] === undefined),
    /** What the programs call. */
    tools: lure.tools,
    /** @throws where a program came where none may. */
    expectUnreached: () => assert.deepEqual(lure.reached, { calls: 0, connections: 0 }),
    close: () => lure.close(),
  };
}
