// Reads test262's tests of the language.

import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Modules, scripts that must not be changed, and scripts that are not strict. Programs are none of
 * these.
 */
const OTHER_KINDS = new Set(['module', 'raw', 'noStrict', 'CanBlockIsFalse']);

/**
 * A test that a strict script can pass.
 * @typedef {object} Test262
 * @property {string} path
 * @property {string} code
 * @property {readonly string[]} includes - The files of the harness that it needs, in order.
 * @property {string | undefined} negative - The type of the error that it must end with.
 * @property {boolean} isAsync - Whether it reports its own completion.
 */

/**
 * Reads the chosen tests. Modules that tests import dynamically are in files that no sandbox has.
 * @returns {readonly Test262[]}
 */
export function readTests(suite, isChosen) {
  const root = join(suite, 'test', 'language');
  return readdirSync(root, { recursive: true })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.js') && !path.includes('_FIXTURE') && isChosen(path))
    .map((path) => parseTest(path, readFileSync(join(root, path), 'utf8')))
    .filter(({ flags }) => !flags.some((flag) => OTHER_KINDS.has(flag)))
    .filter(({ negative, features }) => negative || !features.includes('dynamic-import'));
}

/** The texts of the test harness by name. */
export function readHarness(suite) {
  const root = join(suite, 'harness');
  const names = readdirSync(root).filter((name) => name.endsWith('.js'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

function parseTest(path, code) {
  const [, facts = ''] = /\/\*---([\s\S]*?)---\*\//.exec(code) ?? [];
  const flags = listOf(facts, 'flags');
  const isAsync = flags.includes('async');
  const always = ['assert.js', 'sta.js', ...(isAsync ? ['doneprintHandle.js'] : [])];
  const [, negative] = /^negative:[^]*?\n\s+type: (\w+)/m.exec(facts) ?? [];
  return {
    path,
    code,
    flags,
    features: listOf(facts, 'features'),
    includes: [...always, ...listOf(facts, 'includes')],
    negative,
    isAsync,
  };
}

/** The items of a list in YAML, in brackets or one per line. */
function listOf(facts, name) {
  const [, inBrackets, lines] =
    new RegExp(String.raw`^${name}:(?:\s*\[([^\]]*)\]|((?:\n\s*- .*)+))`, 'm').exec(facts) ?? [];
  const items = inBrackets?.split(',') ?? lines?.split('\n').map((line) => line.replace('-', ''));
  return (items ?? []).map((item) => item.trim()).filter((item) => item !== '');
}
