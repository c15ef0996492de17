import { refusedCalls } from '../../../src/providers/bubblewrap/start/refused-calls.ts';
import {
  ALLOWED_SYSTEM_CALLS,
  CONDITIONAL_SYSTEM_CALLS,
} from '../../../src/sandbox/seccomp/system-calls.ts';
import { corpusPaths, gapIn, type Place, readCorpusCase } from '../corpus-case.ts';
import { CASES, GAPS } from './cases.ts';
import { collectShowings, type Showing } from './collect.ts';
import { PROMISES } from './promises.ts';

/** Those of the documentation. */
const LINE_LENGTH = 130;

/** The kinds of sandbox, and what the page calls them. */
const PLACES: readonly (readonly [Place, string])[] = [
  ['docker', 'Docker'],
  ['bubblewrap', 'bubblewrap'],
  ['embedded', 'the embedded sandbox'],
  ['kubernetes', 'Kubernetes'],
];

const corpus = corpusPaths().map((path) => readCorpusCase(path));

/** What `npm run security:report` prints, in Markdown. It has nothing that changes unless the code changes. */
export function securityReport(): string {
  const showings = collectShowings();
  const blocks = [
    '# Security report',
    '`npm run security:report` makes this page from the code. `npm run security:run` runs the hostile programs and prints what ' +
      'came of them on your machine.',
    numbers(),
    '## Cases',
    'A case is something that hostile code or bad luck could do. Each line says what must hold, and by how many hostile programs and ' +
      'tests it is tried. A gap is what does not hold, or is not needed.',
    list(
      Object.entries(CASES).map(([id, holds]) => `**${id}:** ${holds} (${triedBy(id, showings)})`),
    ),
    '## Promises',
    'Each line has the id of a sentence of `SECURITY.md`, a part of the sentence, and by how many programs and tests it is shown.',
    list(
      Object.entries(PROMISES).map(
        ([id, part]) => `**${id}:** "${part}" (${counts(shownBy(id, showings))})`,
      ),
    ),
    ...PLACES.flatMap(([place, name]) => [
      `## Why programs do not apply to ${name}`,
      list(reasonsIn(place)),
    ]),
    '## System calls',
    'Programs in Docker, bubblewrap and Kubernetes can make these system calls and no others:',
    list(
      ALLOWED_SYSTEM_CALLS.map(
        ({ names, reason, betweenSandboxes }) =>
          `**${names.length} calls.** ${reason} Between sandboxes: ${betweenSandboxes}`,
      ),
    ),
    'These depend on their arguments, or fail in a certain way:',
    list(CONDITIONAL_SYSTEM_CALLS.map(({ name, reason }) => `\`${name}\`: ${reason}`)),
    'Bubblewrap refuses these in every sandbox, because its sandboxes share files with the machine:',
    list(refusedCalls(true, false).map(({ name, reason }) => `\`${name}\`: ${reason}`)),
  ];
  return `${blocks.map((block) => block.split('\n').map(wrap).join('\n')).join('\n\n')}\n`;
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function numbers(): string {
  return list([
    `There are ${corpus.length} hostile programs.`,
    ...PLACES.map(([place, name]) => {
      const apply = corpus.filter((hostile) => gapIn(place, hostile) === undefined).length;
      return `${apply} of them apply to ${name}.`;
    }),
  ]);
}

function triedBy(id: string, showings: readonly Showing[]): string {
  const gap = GAPS[Number(id)];
  const tried = counts(shownBy(`case ${id}`, showings));
  return [tried, gap && `gap: ${gap}`].filter(Boolean).join('; ');
}

function shownBy(tag: string, showings: readonly Showing[]): Showing[] {
  return showings.filter(({ tags }) => tags.includes(tag));
}

function counts(showings: readonly Showing[]): string {
  const programs = showings.filter(({ isProgram }) => isProgram).length;
  const tests = showings.length - programs;
  return [plural(programs, 'program'), plural(tests, 'test')].filter(Boolean).join(', ');
}

/** Why programs do not apply to a place, with the number of programs. */
function reasonsIn(place: Place): readonly string[] {
  const reasons = new Map<string, number>();
  for (const hostile of corpus) {
    const gap = gapIn(place, hostile)?.replace(/ \(see .*\)$/, '');
    if (gap !== undefined) reasons.set(gap, (reasons.get(gap) ?? 0) + 1);
  }
  return [...reasons]
    .toSorted(([, first], [, second]) => second - first)
    .map(([reason, programs]) => `${plural(programs, 'program')}: ${reason}`);
}

function plural(count: number, word: string): string {
  if (count === 0) return '';
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}

/** Breaks a line as the documentation does. What follows in a list item is indented. */
function wrap(text: string): string {
  const indent = text.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > LINE_LENGTH) {
      lines.push(line);
      line = `${indent}${word}`;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
