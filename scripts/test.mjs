// `npm test`: installs what the tests need, runs every gate and the whole suite, looks for what they
// left behind, and closes with `N passed, N failed`.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { command, runGate, Skipped } from './gate.mjs';
import { holdEngine } from './hold-engine.mjs';
import { RUN_VARIABLE, temporaryFiles, watchContainers, watchProcesses } from './leftovers.mjs';
import { installPrerequisites } from './prerequisites.mjs';

process.chdir(resolve(import.meta.dirname, '..'));
installPrerequisites();

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort());
const { signal } = interruption;

/** Prints no line for each file; the other two are those of vitest.config.ts. */
const QUIET = [
  '--no-color',
  '--reporter=./test/support/skipped-reporter.ts',
  '--reporter=dot',
  '--reporter=./test/support/reporter.ts',
];

const runId = randomUUID();
const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-test-'));
const env = {
  PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}`,
  TMPDIR: directory,
  [RUN_VARIABLE]: runId,
};
const total = { passed: 0, failed: 0, skipped: 0 };

async function gate(name, check) {
  if (signal.aborted) return;
  const counts = await runGate(name, check);
  for (const state of Object.keys(total)) total[state] += counts[state];
}

function commandGate(name, file, args, options) {
  return gate(name, () => command(file, args, { env, signal, ...options }));
}

const processesLeft = await watchProcesses(runId);
// Comes up beside the gates that need none. Its failure is reported when its turn comes.
const engineStart = holdEngine().catch((error) => ({ error }));

await commandGate('types', 'tsc', ['-p', 'tsconfig.json']);
await commandGate('lint', 'oxlint', ['--type-aware']);
await commandGate('format', 'oxfmt', ['--check']);
await commandGate('layers', 'node', ['scripts/check-layers.mjs']);
await commandGate('dead code', 'knip', []);
await commandGate('api reference', 'typedoc', ['--emit', 'none']);
await commandGate('python', 'python3', ['scripts/check-python.py']);
await commandGate('build', 'npm', ['run', '--silent', 'build']);
await commandGate('demo', 'npm', ['run', '--silent', 'demo']);
await commandGate('fuzz', 'node', ['bench/fuzz/fuzz.mjs', '--minutes', '1']);
// A minute of processor time, which takes longer on a busy machine.
await commandGate('fuzz cost', 'node', ['bench/fuzz/cost/cost.mjs', '--minutes', '1'], {
  timeoutMs: 30 * 60_000,
});

const engine = await engineStart;
let containersLeft;
await gate('engine', async () => {
  if (engine.error && !process.env.CI) throw new Skipped(engine.error.message);
  if (engine.error) throw engine.error;
  containersLeft = await watchContainers(engine.address);
});
const withEngine = { ...env, ...(engine.address && { DOCKER_HOST: engine.address }) };
// Makes what sandboxes are made of, once: no test should wait for that.
await commandGate('doctor', 'node', ['dist/cli/main.js', 'doctor'], {
  env: withEngine,
  timeoutMs: 10 * 60_000,
});
await commandGate('unit tests', 'vitest', ['run', ...QUIET, '--project', 'unit', '--coverage'], {
  timeoutMs: 20 * 60_000,
});
// About 15 minutes on two cores that do nothing else.
await commandGate('system tests', 'vitest', ['run', ...QUIET, '--project', 'system'], {
  env: withEngine,
  timeoutMs: 60 * 60_000,
});
await commandGate('package', 'vitest', ['run', ...QUIET, '--project', 'package']);
// The host's code depends on the release of Node; what runs in a sandbox does not depend on the host's.
const lanes = ['--lane', 'unit', '--lane', 'package'];
await commandGate('newer Node', 'node', ['scripts/test-node.mjs', ...lanes, '24.21.0'], {
  timeoutMs: 40 * 60_000,
});
await gate('nothing left', async () => {
  const containers = (await containersLeft?.()) ?? [];
  const exceptEngine = await engine.release?.();
  const left = [
    ...containers,
    ...(await processesLeft({ exceptEngine })),
    ...(await temporaryFiles(directory)),
  ];
  if (left.length > 0) throw new Error(left.join('\n'));
});

await engine.release?.();
await rm(directory, { recursive: true, force: true });
const { passed, failed, skipped } = total;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
if (failed > 0 || passed === 0 || signal.aborted) process.exitCode = 1;
