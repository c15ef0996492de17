// `npm run security:report`: runs the corpus of hostile programs against every sandbox that works here
// and prints what came of it as Markdown. `--write FILE` keeps it in a file as well.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, release, tmpdir, version as kernelVersion } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';

const root = resolve(import.meta.dirname, '..');
const corpus = join(root, 'test/security/corpus');
const PLACES = ['docker', 'bubblewrap', 'embedded'];
/** Longer than the whole corpus takes on a slow machine. */
const TIME_LIMIT_MS = 30 * 60_000;

const { values } = parseArgs({ options: { write: { type: 'string' } } });
const directory = mkdtempSync(join(tmpdir(), 'sandboxed-ptc-report-'));
try {
  const outcomes = runCorpus(join(directory, 'results.json'));
  const report = describe(outcomes, await machine());
  process.stdout.write(report);
  if (values.write !== undefined) writeFileSync(values.write, report);
  if (outcomes.some(({ state }) => state === 'failed') || outcomes.length === 0)
    process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** @returns for each program and place how it went: `passed`, `failed` or `skipped`. */
function runCorpus(outputFile) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['--project', 'source', '--reporter', 'json', '--outputFile', outputFile];
  const run = spawnSync(process.execPath, [vitest, 'run', ...options, 'test/security/corpus-'], {
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
    .map(({ ancestorTitles, title, status }) => ({
      place: ancestorTitles.at(-1),
      path: title.slice(0, title.indexOf(':')),
      state: status === 'passed' || status === 'failed' ? status : 'skipped',
    }));
}

function describe(outcomes, facts) {
  const paths = [...new Set(outcomes.map(({ path }) => path))];
  const rows = paths.map((path) => {
    const hostile = JSON.parse(readFileSync(join(corpus, `${path}.json`), 'utf8'));
    const cells = PLACES.map((place) => cellOf(outcomes, hostile, path, place));
    return `| ${[hostile.case, path, hostile.title, ...cells].map(escapeCell).join(' | ')} |`;
  });
  return [
    '# Hostile programs and what came of them',
    '',
    ...facts.map((line) => `- ${line}`),
    ...PLACES.map((place) => `- ${place}: ${countsOf(outcomes, place)}`),
    '',
    `| case | program | what must hold | ${PLACES.join(' | ')} |`,
    `| ---: | --- | --- | ${PLACES.map(() => '---').join(' | ')} |`,
    ...rows,
    '',
  ].join('\n');
}

function cellOf(outcomes, hostile, path, place) {
  const outcome = outcomes.find((each) => each.path === path && each.place === place);
  if (outcome?.state === 'passed') return 'holds';
  if (outcome?.state === 'failed') return '**DOES NOT HOLD**';
  const gap = hostile.gaps?.[place];
  return gap === undefined ? 'not run: this sandbox does not work here' : `gap: ${gap}`;
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
