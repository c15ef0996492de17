import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { requireBuild } from '../../support/built-package.ts';
import { skippedFor } from '../../support/skipped.ts';
import { CLIENT_RESULTS } from './client-results.ts';
import { NO_SUITE, REVISIONS, runSuite, type ScenarioResult } from './suite.ts';

// Each scenario starts the client as a process.
vi.setConfig({ hookTimeout: 600_000 });

/** Who logs in: a provider of the user, or the command line. */
const LOGINS = { '2025-11-25': 'provider', '2026-07-28': 'command-line' } as const;
const CLIENT = fileURLToPath(new URL('client.mjs', import.meta.url));

describe.each(REVISIONS)('a client of the revision %s', skippedFor(NO_SUITE), (revision) => {
  const expected = CLIENT_RESULTS[revision];
  let results: ReadonlyMap<string, ScenarioResult>;

  beforeAll(async () => {
    requireBuild();
    // The suite runs all scenarios at the same time, and its servers close connections that are not used for five seconds. So
    // the clients run one after another. A shell runs the command.
    const command = `flock "${CLIENT}" "${process.execPath}" "${CLIENT}" ${LOGINS[revision]}`;
    results = await runSuite('client', revision, ['--command', command, '--timeout', '500000']);
  });

  it('is tested with all scenarios', () => {
    expect([...results.keys()].toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  it.each(Object.entries(expected))('passes %s, as far as is known', (scenario, failures) => {
    const result = results.get(scenario);
    expect(result).toMatchObject({ failed: Object.keys(failures).toSorted() });
    expect(result?.passed).toBeGreaterThan(0);
  });
});
