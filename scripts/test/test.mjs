// `npm test`: installs what the tests need, runs every check and all tests, looks for what they left behind, and closes
// with `N passed, N failed`.
import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { describeCaches } from './cache.mjs';
import { clusterVariables, whyNoCluster } from './cluster.mjs';
import { Engine } from './hold-engine.mjs';
import { runAll, runChanged, runNamed } from './lanes.mjs';
import {
  clusterLeft,
  endProcesses,
  RUN_VARIABLE,
  temporaryFiles,
  watchProcesses,
} from './leftovers.mjs';
import { installPackages, installPrerequisites } from './prerequisites.mjs';
import { directoriesOfPython } from './python.mjs';
import { needsOfAll, selectChanged, selectNamed } from './selection.mjs';
import { TestRun } from './test-run.mjs';

const HELP = `npm test -- [options] [file or folder of test/]…

Without arguments: all checks and tests. With files or folders: the tests in them, and what those need.

  --all      also the combinations of sandbox, language and version that are left out because others test the same code,
             longer searches for costly inputs, and all tests with other releases of Node
  --changed  the unit tests that import a file which differs from the branch main, and the system tests of its folder
  --costs    writes what each test file costs into test/support/costs/costs.json, by which later runs order them
  --help     this text
`;

process.chdir(resolve(import.meta.dirname, '../..'));
const { values: options, positionals: paths } = readArguments();
if (options.help) process.stdout.write(HELP);
else await main();

function readArguments() {
  const flag = { type: 'boolean', default: false };
  try {
    return parseArgs({
      options: { all: flag, changed: flag, costs: flag, help: flag },
      allowPositionals: true,
    });
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    return process.exit(2);
  }
}

async function main() {
  const interruption = new AbortController();
  // Also when npm passes on the signal that a terminal has already sent.
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => interruption.abort());
  installPackages();
  const selection = select();
  const noCluster = whyNoCluster();
  installPrerequisites(timeInWords(), selection?.needs ?? needsOfAll(noCluster === undefined));

  const runId = randomUUID();
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'sandboxed-ptc-test-')));
  const env = {
    PATH: [resolve('node_modules/.bin'), ...directoriesOfPython(), process.env.PATH].join(
      delimiter,
    ),
    TMPDIR: directory,
    [RUN_VARIABLE]: runId,
    ...clusterVariables(directory),
    ...(options.costs && { SANDBOXED_PTC_TEST_COSTS: '1' }),
    ...(options.all && { SANDBOXED_PTC_TEST_ALL: '1' }),
  };
  const run = new TestRun(env, interruption.signal);
  const processesLeft = await watchProcesses(runId, directory);
  const engine = new Engine();
  let kept = '';
  // The engine and what uses it take seconds to end, so both do it at once.
  interruption.signal.addEventListener('abort', () => void engine.interrupt());
  try {
    if (options.changed) await runChanged(run, engine, selection);
    else if (paths.length > 0) await runNamed(run, engine, selection);
    else await runAll(run, engine, { isAll: options.all, noCluster });
    await run.check('nothing left', async () => {
      const containers = await engine.containersLeft();
      const exceptEngine = await engine.release();
      const left = [
        ...containers,
        ...(await processesLeft({ exceptEngine })),
        ...clusterLeft(join(directory, 'cluster')),
        ...(await temporaryFiles(directory)),
      ];
      if (left.length > 0) throw new Error(left.join('\n'));
    });
  } finally {
    const end = async () => {
      if (!interruption.signal.aborted) return engine.release();
      await endProcesses(runId);
      return engine.interrupt();
    };
    [kept] = await Promise.all([describeCaches(), end()]);
    await rm(directory, { recursive: true, force: true });
  }
  const { passed, failed, skipped } = run.total;
  console.log(kept);
  if (interruption.signal.aborted) console.log('interrupted: not all checks and tests ran');
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  if (failed > 0 || passed === 0 || interruption.signal.aborted) process.exitCode = 1;
}

/** The tests to run; undefined for all. */
function select() {
  if (options.changed) return selectChanged();
  return paths.length > 0 ? selectNamed(paths) : undefined;
}

function timeInWords() {
  if (paths.length > 0) return `Runs the tests in ${paths.join(' ')}.`;
  if (options.changed) return 'Runs the tests of what differs from the branch main: a few minutes.';
  if (options.all)
    return 'Runs all checks and tests, in all combinations: much longer than without --all.';
  return 'Runs all checks and tests: 15 to 50 minutes on two cores, by their speed, the downloads of the first run aside.';
}
