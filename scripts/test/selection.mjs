// Which tests run if not all of them do, and what they need.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PINNED_PACKAGES } from '../../test/support/pinned-packages.mjs';
import { testsOf } from './changed.mjs';

/** Tests that need a container engine import this file, or a file of test/ that does. */
const ENGINE = resolve('test/support/engine.ts');
const TESTS = resolve('test');
/** Projects whose tests start packages that Node 20 cannot run. */
const WITH_NEWER_NODE = new Set([
  'system-mcp-conformance',
  'system-mcp-clients',
  'system-frameworks',
]);

const { cluster: _helm, ...packagesOfAll } = PINNED_PACKAGES;

/** What all tests need that `npm test` runs. @param cluster - Whether those with a cluster are among them. */
export function needsOfAll(cluster) {
  return {
    sandboxes: true,
    engine: true,
    newerNode: true,
    cluster,
    packages: Object.values(cluster ? PINNED_PACKAGES : packagesOfAll),
  };
}

/** The tests in these files and folders. */
export function selectNamed(paths) {
  const files = list(paths);
  if (files.length === 0) throw new Error(`There is no test in ${paths.join(' ')}.`);
  return { paths, needs: needsOf(files) };
}

/**
 * What differs from the branch `main`: the unit tests since the commit `base`, and the system tests of its folders, of which
 * there may be none.
 */
export function selectChanged() {
  const git = (...args) =>
    execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const base = git('merge-base', 'main', 'HEAD')[0];
  const paths = testsOf([
    ...git('diff', '--name-only', '--diff-filter=d', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]);
  const files = paths.length === 0 ? [] : list(['--project', 'system*', ...paths]);
  return { base, paths: files.length === 0 ? [] : paths, needs: needsOf(files) };
}

/** @param files - As vitest lists them. Unit tests need neither sandboxes nor an engine. */
export function needsOf(files) {
  const others = files.filter(({ projectName }) => projectName !== 'unit');
  const seen = new Set();
  return {
    sandboxes: others.length > 0,
    engine: others.some(({ file }) => importsEngine(file, seen)),
    newerNode: others.some(({ projectName }) => WITH_NEWER_NODE.has(projectName)),
    cluster: others.some(({ projectName }) => projectName === 'cluster'),
    packages: Object.entries(PINNED_PACKAGES)
      .filter(([name]) => others.some(({ projectName }) => projectName === name))
      .map(([, packages]) => packages),
  };
}

function list(args) {
  const command = ['list', ...args, '--filesOnly', '--json'];
  return JSON.parse(execFileSync('node_modules/.bin/vitest', command, { encoding: 'utf8' }));
}

/** @param seen - Files that are known not to, or whose imports are being read. */
function importsEngine(file, seen) {
  if (file === ENGINE) return true;
  if (seen.has(file) || !file.startsWith(TESTS) || !existsSync(file)) return false;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s+'(\.[^']+)'/g);
  return [...imports].some(([, name]) => importsEngine(resolve(dirname(file), name), seen));
}
