// `npm run security:run`: runs the corpus of hostile programs against every sandbox that works here
// and prints what came of it as Markdown.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { arch, release, tmpdir, version as kernelVersion } from 'node:os';
import { join, resolve } from 'node:path';
import Docker from 'dockerode';
import { whyNoCluster } from './test/cluster.mjs';

const root = resolve(import.meta.dirname, '..');
const corpus = join(root, 'test/security/corpus');
/** Where the programs run, by the name that the tests give to each place, with the heading of its column. */
const PLACES = new Map([
  ['docker', 'docker'],
  ['bubblewrap', 'bubblewrap'],
  ['watched', 'bubblewrap without control groups'],
  ['embedded', 'embedded'],
  ['kubernetes', 'kubernetes'],
]);
/** Longer than the whole corpus takes on a slow machine. */
const TIME_LIMIT_MS = 60 * 60_000;

const directory = mkdtempSync(join(tmpdir(), 'sandboxed-ptc-security-'));
try {
  const outcomes = runCorpus(join(directory, 'results.json'));
  process.stdout.write(describe(outcomes, await machine()));
  if (outcomes.some(({ state }) => state === 'failed') || outcomes.length === 0)
    process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** @returns for each program and place how it went (`passed`, `failed` or `skipped`) and what it cost the host. */
function runCorpus(outputFile) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['--reporter', 'json', '--outputFile', outputFile];
  const tests = ['--project', 'system', 'test/security/places/'];
  if (whyNoCluster() === undefined) tests.push('--project', 'cluster', 'test/cluster/corpus/');
  const run = spawnSync(process.execPath, [vitest, 'run', ...options, ...tests], {
    env: { ...process.env, SANDBOXED_PTC_TEST_ALL: '1' },
    cwd: root,
    encoding: 'utf8',
    timeout: TIME_LIMIT_MS,
    maxBuffer: 2 ** 28,
  });
  let results;
  try {
    results = JSON.parse(readFileSync(outputFile, 'utf8'));
  } catch {
    throw new Error(`The corpus did not run:\n${run.stdout}${run.stderr}${run.error ?? ''}`);
  }
  return results.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ ancestorTitles, title, status, meta }) => ({
      place: ancestorTitles.at(-1),
      path: title.slice(0, title.indexOf(':')),
      state: status === 'passed' || status === 'failed' ? status : 'skipped',
      // A program that failed has no figures.
      delayMs: meta.host?.loopDelayMs,
      megabytes: meta.host && meta.host.memoryBytes / 1e6,
    }));
}

function describe(outcomes, facts) {
  const paths = [...new Set(outcomes.map(({ path }) => path))];
  const rows = paths.map((path) => {
    const hostile = JSON.parse(readFileSync(join(corpus, `${path}.json`), 'utf8'));
    const cells = [...PLACES.keys()].map((place) => cellOf(outcomes, hostile, path, place));
    const host = hostCell(outcomes.filter((each) => each.path === path));
    return `| ${[hostile.case, path, hostile.title, ...cells, host].map(escapeCell).join(' | ')} |`;
  });
  return [
    '# Hostile programs and what came of them',
    '',
    ...facts.map((line) => `- ${line}`),
    ...[...PLACES].map(([place, heading]) => `- ${heading}: ${countsOf(outcomes, place)}`),
    ...hostSummary(outcomes),
    '',
    'The last column says what a program cost the process that ran it, in the place where that was most: how long it held',
    'the event loop at a stretch (wall-clock time, or processor time if that is less), and how far the resident memory of',
    'the process went up. Both include what the tests do themselves: a view of the run and an audit log with all texts.',
    '',
    `| case | program | what must hold | ${[...PLACES.values()].join(' | ')} | the host |`,
    `| ---: | --- | --- | ${'--- | '.repeat(PLACES.size)}--- |`,
    ...rows,
    '',
  ].join('\n');
}

function cellOf(outcomes, hostile, path, place) {
  const outcome = outcomes.find((each) => each.path === path && each.place === place);
  if (outcome?.state === 'passed') return 'holds';
  if (outcome?.state === 'failed') return '**DOES NOT HOLD**';
  // Without control groups only the programs about resources run: the rest of the isolation is the same.
  if (place === 'watched' && outcome === undefined) return 'as in bubblewrap';
  const gap = gapIn(hostile, place);
  return gap === undefined ? 'not run: this sandbox does not work here' : `gap: ${gap}`;
}

/** Why a program does not run in a place. Some places have the gaps of another one too. */
function gapIn({ gaps }, place) {
  const like = { watched: 'bubblewrap', kubernetes: 'docker' }[place];
  return gaps?.[place] ?? gaps?.[like];
}

/** What a program cost the host where that was most. */
function hostCell(outcomes) {
  const slowest = most(outcomes, 'delayMs');
  const largest = most(outcomes, 'megabytes');
  if (slowest === undefined) return 'not measured';
  return `${milliseconds(slowest)} in ${PLACES.get(slowest.place)}, ${megabytes(largest)} in ${PLACES.get(largest.place)}`;
}

/** What the worst of all programs cost the host. */
function hostSummary(outcomes) {
  const slowest = most(outcomes, 'delayMs');
  const largest = most(outcomes, 'megabytes');
  if (slowest === undefined) return [];
  const where = ({ path, place }) => `${path} in ${PLACES.get(place)}`;
  return [
    `- Host: the event loop was held for ${milliseconds(slowest)} at most (${where(slowest)}), and memory went up by ${megabytes(largest)} at most (${where(largest)})`,
  ];
}

function most(outcomes, figure) {
  return outcomes
    .filter((each) => each[figure] !== undefined)
    .sort((first, second) => second[figure] - first[figure])[0];
}

function milliseconds(outcome) {
  return `${Math.ceil(outcome.delayMs)} ms`;
}

function megabytes(outcome) {
  return `${Math.ceil(outcome.megabytes)} MB`;
}

function countsOf(outcomes, place) {
  const count = (state) =>
    outcomes.filter((each) => each.place === place && each.state === state).length;
  return `${count('passed')} hold, ${count('failed')} do not, ${count('skipped')} gaps or not run`;
}

/** What the result is of: it says nothing of another kernel or engine. */
async function machine() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const installed = (name) =>
    JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
  return [
    `Date: ${new Date().toISOString()}`,
    `sandboxed-ptc ${version}, commit ${firstLine('git', ['rev-parse', '--short', 'HEAD'])}`,
    `Kernel: ${release()} ${arch()} (${kernelVersion()})`,
    `Engine: ${await engineVersions()}`,
    `Bubblewrap: ${firstLine('bwrap', ['--version'])}`,
    `Embedded: Deno ${installed('deno')}, Pyodide ${installed('pyodide')}`,
    `Node ${process.version}`,
  ];
}

/** The engine's own version and those of its parts, its runtime among them. */
async function engineVersions() {
  try {
    const { Version, Components } = await new Docker().version();
    const parts = Components.map((part) => `${part.Name} ${part.Version}`);
    return parts.length > 0 ? parts.join(', ') : Version;
  } catch {
    return 'none answers';
  }
}

function firstLine(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0] : 'unknown';
}

function escapeCell(text) {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}
