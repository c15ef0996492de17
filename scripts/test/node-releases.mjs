// `npm run test:node`: the unit tests, the tests of the contract and of the guests, and those of the package, with other releases of Node.
//
//   npm run test:node -- [--lane versions|unit|contracts|package]… [VERSION…]
//
// Without a version, such as 24.21.0: the oldest release that we support, and one of each later line with long-term support.
//
// Closes with `N passed, N failed`, the sum over all releases.
import { delimiter, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeRelease } from './node-release.mjs';
import { TestRun } from './test-run.mjs';

/** The oldest that `engines` of package.json allows, and one of each later line with long-term support. */
const RELEASES = ['20.19.0', '22.23.3', '24.21.0'];
/**
 * What depends most on the release of Node: the guest that runs JavaScript, which uses Node's modules for contexts, timers
 * and permissions; and on the host, streams, processes, signals, terminals and the text of errors.
 */
const VERSIONS = [
  'test/contracts/local.test.ts',
  'test/guests/local.test.ts',
  'test/runner/javascript/',
  'test/protocol/',
  'test/sandbox/',
  'test/cli/approvals/approvals.test.ts',
  'test/shared/held-name.system.test.ts',
  'test/providers/bubblewrap/lifecycle.test.ts',
  'test/providers/bubblewrap/spawner.test.ts',
];
const LANES = {
  versions: ['--project', 'unit', '--project', 'system*', ...VERSIONS],
  unit: ['--project', 'unit'],
  contracts: ['--project', 'system', 'test/contracts', 'test/guests'],
  package: ['--project', 'package'],
};

const { values, positionals } = parseArgs({
  options: { lane: { type: 'string', multiple: true, default: ['unit', 'contracts', 'package'] } },
  allowPositionals: true,
});
const unknown = values.lane.filter((name) => !Object.hasOwn(LANES, name));
if (unknown.length > 0) {
  throw new Error(`There is no lane ${unknown.join(', ')}. Use ${Object.keys(LANES).join(', ')}.`);
}

process.chdir(resolve(import.meta.dirname, '../..'));
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => interruption.abort());

const run = new TestRun({}, interruption.signal);
for (const version of positionals.length > 0 ? positionals : RELEASES) {
  const path = [await nodeRelease(version), resolve('node_modules/.bin'), process.env.PATH];
  const env = { PATH: path.join(delimiter) };
  for (const lane of values.lane) {
    await run.tests(`${version} ${lane}`, LANES[lane], { env, timeoutMs: 90 * 60_000 });
  }
}
const { passed, failed, skipped } = run.total;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
if (failed > 0 || passed === 0 || interruption.signal.aborted) process.exitCode = 1;
