import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { corpusPaths, ENDINGS } from '../corpus-case.ts';
import { WAITING_PLACES } from '../waiting/places.ts';
import { CASES, GAPS } from './cases.ts';
import { collectShowings, type Showing, taggedTests } from './collect.ts';
import { faultsOfPage, untested } from './promised.ts';
import { PROMISES } from './promises.ts';
import { sentencesOf } from './read-sentences.ts';

const page = readFileSync(fileURLToPath(new URL('../../../SECURITY.md', import.meta.url)), 'utf8');

/** How many tags the tests and programs have: otherwise nobody would notice that one of several tests is gone. */
const TAGS = 1244;

describe('the tags of tests and hostile programs', () => {
  let showings: readonly Showing[];
  let tags: ReadonlySet<string>;
  beforeAll(() => {
    showings = collectShowings();
    tags = new Set(showings.flatMap((showing) => showing.tags));
  });

  it('name a case, a promise of SECURITY.md or a place where data waits', () => {
    const known = new Set([
      ...Object.keys(CASES).map((number) => `case ${number}`),
      ...Object.keys(PROMISES),
      ...WAITING_PLACES.map(({ id }) => `waiting/${id}`),
    ]);
    const unknown = showings.filter((showing) => showing.tags.some((tag) => !known.has(tag)));
    expect(unknown).toEqual([]);
  });

  it('are as many as they were', () => {
    const count = showings.reduce((sum, showing) => sum + showing.tags.length, 0);
    expect(count, 'Tags were added or removed. docs/testing.md says what to do.').toBe(TAGS);
  });

  it('name each case, unless GAPS says why not', () => {
    const numbers = Object.keys(CASES);
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.filter((id) => !tags.has(`case ${id}`) && !(id in GAPS))).toEqual([]);
    expect(Object.keys(GAPS).filter((id) => !(id in CASES))).toEqual([]);
  });

  it('name each promise of SECURITY.md, in each kind of sandbox that it is made for', () => {
    expect(untested(Object.keys(PROMISES), showings)).toEqual([]);
  });

  it('name each place where data waits', () => {
    expect(WAITING_PLACES.filter(({ id }) => !tags.has(`waiting/${id}`))).toEqual([]);
  });

  it('do not count if a test is always skipped, or runs in other sandboxes', () => {
    const file = 'test/providers/docker/a.test.ts';
    const title = 'sees nothing [case 9, docker/network, every/network]';
    const run = taggedTests([{ file, title, skipped: false }]);
    expect(untested(['docker/network', 'every/network', 'host/clock'], run)).toEqual([
      'every/network in bubblewrap',
      'every/network in embedded',
      'host/clock',
    ]);
    expect(taggedTests([{ file, title, skipped: true }])).toEqual([]);
  });
});

describe('SECURITY.md', () => {
  it('has an id for each sentence that promises something, and a sentence for each id', () => {
    expect(sentencesOf(page).length).toBeGreaterThan(200);
    expect(faultsOfPage(page, PROMISES)).toEqual([]);
  });

  it.each([
    ['Docker', 'Nothing is shared.', ['"Nothing is shared." has no id']],
    ['Docker', 'By design, nothing is shared.', []],
    ['What you have to do', 'Share nothing.', []],
    ['Docker', 'It has no root. It has no\nroot.', ['2 sentences have "no root" (docker/user)']],
  ])('is checked: %s, %j', (section, text, faults) => {
    const promises = text.includes('root') ? { 'docker/user': 'no root' } : {};
    expect(faultsOfPage(`## ${section}\n\n${text}`, promises, [])).toEqual(faults);
  });

  it('is read as sentences of paragraphs, lists and tables, without headings and code', () => {
    const text = [
      '# Title. Of it',
      'One `a.ts`. Two is\nlong (`b`). [Three](x) ends:',
      '- four;\n- five. Six.',
      '```sh\nNot. This.\n```',
      '## Other',
      '**A title.** Seven.',
      '|  | Head |\n| --- | --- |\n| Row | eight |\n| Row | nine |',
    ].join('\n\n');
    const sentences = sentencesOf(text).map((sentence) => `${sentence.section}: ${sentence.text}`);
    expect(sentences).toEqual([
      'Title. Of it: One `a.ts`.',
      'Title. Of it: Two is long (`b`).',
      'Title. Of it: [Three](x) ends:',
      'Title. Of it: four;',
      'Title. Of it: five.',
      'Title. Of it: Six.',
      'Other: Seven.',
      'Other: | Row | eight |',
      'Other: | Row | nine |',
    ]);
  });
});

it('each hostile program of the corpus has a file that says what must come of it', () => {
  const programs = Object.values(ENDINGS).flatMap((ending) => corpusPaths(ending));
  expect(programs.sort()).toEqual(corpusPaths());
});
