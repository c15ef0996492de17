import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { requireBuild, startNode } from '../../support/built-package.ts';
import { skippedFor } from '../../support/skipped.ts';
import { RUN_BUNDLED } from '../../support/typescript-process.ts';
import { CLIENT_RESULTS } from './client-results.ts';
import { NO_SUITE, REVISIONS, runSuite, type ScenarioResult } from './suite.ts';

// All scenarios run in one hook.
vi.setConfig({ hookTimeout: 600_000 });

/** Who logs in: a provider of the user, or the command line. */
const LOGINS = { '2025-11-25': 'provider', '2026-07-28': 'command-line' } as const;
const CLIENT = fileURLToPath(new URL('client.mjs', import.meta.url));
const ASK_CLIENT = fileURLToPath(new URL('ask-client.mjs', import.meta.url));

describe.each(REVISIONS)('a client of the revision %s', skippedFor(NO_SUITE), (revision) => {
  const expected = CLIENT_RESULTS[revision];
  let results: ReadonlyMap<string, ScenarioResult>;

  beforeAll(async () => {
    requireBuild();
    const directory = await mkdtemp(join(tmpdir(), 'mcp-client-'));
    const socket = join(directory, 'client');
    const client = startNode([RUN_BUNDLED, CLIENT, LOGINS[revision], socket]);
    try {
      await client.printed('listening');
      // A shell runs the command.
      const command = [process.execPath, ASK_CLIENT, socket].map((word) => `"${word}"`).join(' ');
      results = await runSuite('client', revision, ['--command', command, '--timeout', '500000']);
    } finally {
      client.child.kill('SIGKILL');
      await client.finished();
      await rm(directory, { recursive: true });
    }
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
