// The hostile programs of the security tests, with the tools and files that they attack.

import assert from 'node:assert/strict';

/**
 * Reads the programs that a provider must withstand, and opens a port of the host that none may
 * reach.
 */
export async function openCorpus(providerName) {
  // The modules that read them are TypeScript, like the tests.
  await import('../../test/support/worker-typescript.mjs');
  const { corpusPaths, gapIn, readCorpusCase } = await import('../../test/security/corpus-case.ts');
  const { HostWatch } = await import('../../test/security/host-watch.ts');
  const { Lure } = await import('../../test/security/lure.ts');
  const lure = new Lure();
  await lure.open();
  return {
    /** Each with its path, language and code. */
    attacks: corpusPaths()
      .map((path) => readCorpusCase(path))
      .filter((hostile) => gapIn(providerName, hostile) === undefined),
    /** The tools that the programs call. */
    tools: lure.tools,
    /** Which calls of these tools are denied, or wait for an approver. */
    policy: lure.policy,
    /**
     * Starts to measure what programs cost this process. The histogram gets each delay of its event
     * loop, in µs.
     */
    watchHost: (delays) => HostWatch.start(delays),
    /** @throws if a program reached something that none may reach. */
    expectUnreached: () => assert.deepEqual(lure.reached, { calls: 0, connections: 0 }),
    close: () => lure.close(),
  };
}
