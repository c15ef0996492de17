import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { contractSuite } from '../../../src/testing/contract-suite.ts';
import { suiteOf, type ContractSubject } from '../../../src/testing/suite.ts';
import { CONTRACT_TESTS_SHOW } from '../../contracts/shows.ts';
import { javascriptGroups } from '../../guests/javascript/groups.ts';
import { pythonGroups } from '../../guests/python/groups.ts';
import { corpusPaths, gapIn, type Place, PLACES, readCorpusCase } from '../corpus-case.ts';

/** A test, a contract test, a test of a guest or a hostile program that shows something. */
export interface Showing {
  /** What it is, for people. */
  readonly name: string;
  readonly isProgram: boolean;
  /** What it shows: `case 54`, or an id of a promise or of a place where data waits. */
  readonly tags: readonly string[];
  /** The kinds of sandbox in which it runs. */
  readonly places: readonly Place[];
}

interface ListedTest {
  readonly file: string;
  readonly title: string;
  readonly skipped: boolean;
}

const TAGS_OF_TITLE = / \[((?:case \d+|[a-z]+\/[a-z-]+)(?:, (?:case \d+|[a-z]+\/[a-z-]+))*)\]$/;

/** Everything that shows something and is not always skipped. */
export function collectShowings(): Showing[] {
  return [
    ...taggedTests(listTests()),
    ...taggedContractTests(),
    ...taggedGuestTests(),
    ...programs(),
  ];
}

/** The tests of vitest's files with tags at the end of their titles. */
export function taggedTests(tests: readonly ListedTest[]): Showing[] {
  return tests.flatMap(({ file, title, skipped }) => {
    const tags = tagsOf(title);
    if (tags.length === 0 || skipped) return [];
    const places = PLACES.filter((place) => isOf(place, file));
    return [{ name: `${file}: ${title}`, isProgram: false, tags, places }];
  });
}

/** Whether a file tests one kind of sandbox, which is this one. */
function isOf(place: Place, file: string): boolean {
  if (place === 'kubernetes' && file.includes('test/cluster/')) return true;
  return file.includes(`providers/${place === 'watched' ? 'bubblewrap' : place}/`);
}

function tagsOf(title: string): readonly string[] {
  return TAGS_OF_TITLE.exec(title)?.[1]?.split(', ') ?? [];
}

function listTests(): ListedTest[] {
  const list = fileURLToPath(new URL('list-tests.mjs', import.meta.url));
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  return JSON.parse(execFileSync(process.execPath, [list], options)) as ListedTest[];
}

/** Contract tests run in each sandbox. @throws Error if one of the table does not exist. */
function taggedContractTests(): Showing[] {
  const titles = new Set(
    (['python', 'javascript', 'bash'] as const).flatMap((language) =>
      contractSuite(onlyListed(language)).tests.map(({ title }) => title),
    ),
  );
  return Object.entries(CONTRACT_TESTS_SHOW).map(([title, tags]) => {
    if (titles.has(title)) return { name: title, isProgram: false, tags, places: PLACES };
    throw new Error(`test/contracts/shows.ts: there is no contract test "${title}".`);
  });
}

/** Tests of the guests have their tags in their titles. Those of each language run in the sandboxes of `test/guests`. */
function taggedGuestTests(): Showing[] {
  const suites = [
    [suiteOf(onlyListed('python'), pythonGroups()), ['docker', 'bubblewrap', 'embedded']],
    [suiteOf(onlyListed('javascript'), javascriptGroups()), ['bubblewrap', 'embedded']],
  ] as const;
  return suites.flatMap(([{ name, tests }, places]) =>
    tests.flatMap(({ title }) => {
      const tags = tagsOf(title);
      return tags.length === 0
        ? []
        : [{ name: `${name}: ${title}`, isProgram: false, tags, places }];
    }),
  );
}

/** A subject that no test can start, and that lacks no feature. */
function onlyListed(language: ContractSubject['language']): ContractSubject {
  return {
    name: 'no sandbox',
    language,
    kill: async () => {},
    provider: () => {
      throw new Error('The tests are only listed.');
    },
  };
}

function programs(): Showing[] {
  return corpusPaths().map((path) => {
    const hostile = readCorpusCase(path);
    return {
      name: path,
      isProgram: true,
      tags: [`case ${hostile.case}`, ...(hostile.shows ?? [])],
      places: PLACES.filter((place) => gapIn(place, hostile) === undefined),
    };
  });
}
