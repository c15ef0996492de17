// The hostile programs of the security tests, and what they are lured with.

import assert from 'node:assert/strict';

/** Reads the programs that a provider has no gap for, and opens a port of the host's that none may reach. */
export async function openCorpus(providerName) {
  // What reads them is TypeScript, as the tests are.
  await import('../../test/support/worker-typescript.mjs');
  const { corpusPaths, readCorpusCase } = await import('../../test/security/corpus-case.ts');
  const { HostWatch } = await import('../../test/security/host-watch.ts');
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
    /** Which of the calls of some of these tools are denied, or wait for an approver. */
    policy: lure.policy,
    /** Starts to measure what programs cost this process; the histogram gets each delay of its event loop, in µs. */
    watchHost: (delays) => HostWatch.start(delays),
    /** @throws where a program came where none may. */
    expectUnreached: () => assert.deepEqual(lure.reached, { calls: 0, connections: 0 }),
    close: () => lure.close(),
  };
}
