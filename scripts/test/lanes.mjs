// What a test run consists of, and in which order.
import { clusterTests } from './cluster.mjs';
import { Skipped } from './gate.mjs';
import { NEWER_NODE } from './node-release.mjs';
import { inTurn } from './test-run.mjs';

const MINUTE_MS = 60_000;

/** They read the sources and need nothing that was built. The longest first. */
const SOURCE_CHECKS = [
  ['api reference', 'typedoc', ['--emit', 'none']],
  ['dead code', 'knip', []],
  ['layers', 'node', ['scripts/check-layers.mjs']],
  ['format', 'oxfmt', ['--check']],
  ['python', 'python3', ['scripts/check-python.py']],
  ['python lint', 'node', ['scripts/ruff.mjs']],
];

/** It reads the declarations that were built. */
const API_REPORT = ['api report', 'node', ['scripts/api-report.mjs', '--check']];
/** With the native compiler, which takes a fifth of the time of `tsc`. Examples import the built package. */
const TYPES_AND_LINT = ['types and lint', 'oxlint', ['--type-aware', '--type-check']];
/** The compiler that builds the package also reads the tests, only with `--all`. */
const TYPES = ['types', 'tsc', ['-p', 'tsconfig.json']];

const FUZZ_INPUTS = ['--inputs', '20000', '--seed', '1'];
const FUZZ_SHAPES = ['--shapes', '2'];

/**
 * All checks and tests.
 * @param isAll - Also what `--all` adds.
 * @param noCluster - Why the tests with a cluster do not run. Undefined if they do.
 */
export async function runAll(run, engine, { isAll, noCluster }) {
  engine.start();
  const checks = SOURCE_CHECKS.map((check) => () => run.command(...check));
  let env;
  // Each takes about one core. The unit tests, the longest, need nothing that is built.
  await inTurn(2, [
    () =>
      run.tests('unit tests', ['--project', 'unit', '--coverage'], { timeoutMs: 90 * MINUTE_MS }),
    async () => {
      await build(run);
      await run.command(...TYPES_AND_LINT);
      await run.command(...API_REPORT);
      if (isAll) await run.command(...TYPES);
    },
    ...checks,
    async () => {
      env = await prepareSandboxes(run, engine);
      await run.command('demo', 'npm', ['run', '--silent', 'demo']);
    },
  ]);
  // The same work each time; `--all` searches longer, and elsewhere each time.
  const longer = isAll ? ['--minutes', '10'] : undefined;
  const newer = isAll ? [] : ['--lane', 'versions', NEWER_NODE];
  const slow = { timeoutMs: 90 * MINUTE_MS };
  // The system tests leave a processor without work for a part of the time.
  await Promise.all([
    run.tests('system tests', ['--project', 'system*'], { env, ...slow }),
    inTurn(1, [
      () => run.tests('package', ['--project', 'package'], slow),
      () =>
        run.command('newer Node', 'node', ['scripts/test/node-releases.mjs', ...newer], {
          env,
          ...slow,
        }),
      () => run.command('fuzz', 'node', ['bench/fuzz/fuzz.mjs', ...(longer ?? FUZZ_INPUTS)], slow),
      () =>
        run.command(
          'fuzz cost',
          'node',
          ['bench/fuzz/cost/cost.mjs', ...(longer ?? FUZZ_SHAPES)],
          slow,
        ),
    ]),
  ]);
  // Alone, so that no other lane takes longer: its servers take memory and processors.
  await runCluster(run, env, noCluster);
}

async function runCluster(run, env, noCluster) {
  if (noCluster === undefined) {
    const options = { env, timeoutMs: 90 * MINUTE_MS };
    return run.tests('cluster tests', clusterTests(), options);
  }
  return run.check('cluster tests', async () => {
    throw new Skipped(noCluster);
  });
}

/**
 * The unit tests that import a file which differs from the branch `main`, and the system tests that belong to the folders
 * of those files.
 */
export async function runChanged(run, engine, { base, paths, needs }) {
  await run.tests('unit tests', ['--project', 'unit', '--changed', base, '--passWithNoTests']);
  if (paths.length === 0) return;
  await runSelected(run, engine, needs, 'system tests', ['--project', 'system*', ...paths]);
}

/** The tests in some files and folders, and what they need. */
export async function runNamed(run, engine, { paths, needs }) {
  await runSelected(run, engine, needs, 'tests', paths);
}

async function runSelected(run, engine, needs, name, args) {
  if (needs.engine) engine.start();
  if (needs.sandboxes) await build(run);
  const env = needs.sandboxes ? await prepareSandboxes(run, needs.engine && engine) : {};
  await run.tests(name, args, { env, timeoutMs: 90 * MINUTE_MS });
}

async function build(run) {
  await run.command('build', 'npm', ['run', '--silent', 'build']);
}

/**
 * Makes what sandboxes are made of, once: no test should wait for that.
 * @param engine - False if no test needs one.
 * @returns the environment of tests that use sandboxes.
 */
async function prepareSandboxes(run, engine) {
  const address = engine && (await addressOf(run, engine));
  const env = address ? { DOCKER_HOST: address } : {};
  await run.command('sandboxes', 'node', ['dist/cli/main.js', 'doctor'], { env });
  return env;
}

async function addressOf(run, engine) {
  let address;
  await run.check('engine', async () => {
    try {
      address = await engine.address();
    } catch (error) {
      if (process.env.CI) throw error;
      throw new Skipped(error.message);
    }
  });
  return address;
}
