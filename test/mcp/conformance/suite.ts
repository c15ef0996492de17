import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { PROGRAM } from './install.mjs';

/** The revisions of the protocol whose scenarios run. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

export type Revision = (typeof REVISIONS)[number];

/** For each scenario, the checks that do not pass, each with the reason. */
export type Expected = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Why the suite cannot run here; undefined if it can. */
export const NO_SUITE: string | undefined =
  inject('newerNode').missing &&
  'the conformance suite of MCP needs Node 22, and npm has none for this machine';

/** Checks that compare times, which a busy machine makes longer. */
const TIMED: ReadonlySet<string> = new Set([
  'client-sse-retry-timing',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
]);

/** What the suite found in one scenario. */
export interface ScenarioResult {
  /** How many checks passed. */
  readonly passed: number;
  /** The ids of the checks that failed or gave a warning, each once, sorted. */
  readonly failed: readonly string[];
  /** What the client under test wrote to standard error. */
  readonly stderr: string;
}

/** Runs all scenarios of a revision. @returns the results by the name of the scenario. */
export async function runSuite(
  side: 'client' | 'server',
  revision: Revision,
  options: readonly string[],
): Promise<ReadonlyMap<string, ScenarioResult>> {
  const directory = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  try {
    const args = [side, '--suite', 'all', '--spec-version', revision, '--output-dir', directory];
    const { path = process.execPath } = inject('newerNode');
    const child = spawn(path, [PROGRAM, ...args, ...options], { stdio: 'ignore' });
    // It ends with 1 if a check fails.
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0 && code !== 1) throw new Error(`The conformance suite ended with ${code}.`);
    return await readResults(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Each scenario has a folder of its name and of the time at which it began, such as `auth/basic-cimd-2026-11-26T05-53-40-123Z`. */
async function readResults(directory: string): Promise<ReadonlyMap<string, ScenarioResult>> {
  const results = new Map<string, ScenarioResult>();
  for (const entry of await readdir(directory, { recursive: true })) {
    if (!entry.endsWith('checks.json')) continue;
    const folder = dirname(entry);
    const name = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const checks = JSON.parse(await readFile(join(directory, entry), 'utf8')) as Check[];
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const stderr = await readFile(join(directory, folder, 'stderr.txt'), 'utf8').catch(() => '');
    results.set(name, {
      passed: checks.filter(({ status }) => status === 'SUCCESS').length,
      failed: [...new Set(failed.map(({ id }) => id))].filter((id) => !TIMED.has(id)).toSorted(),
      stderr,
    });
  }
  return results;
}

interface Check {
  readonly id: string;
  readonly status: string;
}
