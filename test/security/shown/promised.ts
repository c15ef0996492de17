import { type Place, PLACES } from '../corpus-case.ts';
import type { Showing } from './collect.ts';
import { sentencesOf, type Sentence } from './read-sentences.ts';

/** Headings of SECURITY.md under which nothing is promised. Under each other one, every sentence counts as a promise. */
const SECTIONS_WITHOUT_PROMISES: ReadonlySet<string> = new Set([
  'Security',
  'Threat model',
  'What is not protected',
  'What you have to do',
  'How it is tested',
  'Report a vulnerability',
]);

/** A sentence that says of itself that no test shows it, that admits a weakness, or that begins a list. */
const PROMISES_NOTHING = /\bby design\b|\bno test checks\b|^Known weakness: |:$/i;

/** Parts of the other sentences that promise nothing: they point elsewhere, explain a promise, or admit a weakness. */
const NOTES: readonly string[] = [
  'let MCP clients run programs',
  'on this page are defaults',
  '[Limits](docs/sessions.md#limits) says',
  'can contain characters that control a terminal',
  'The process is not a sandbox.',
  'A flaw of the compiler or of V8 could',
  'That code would have the rights',
  "A program can see paths of the engine's own",
  'Any user who can use the engine can take it over.',
  'Then a crash starts the program of `core_pattern`',
  'says for each group of calls what remains',
  '[Control groups](docs/sandboxes.md#control-groups) says',
  'The guest for bash keeps a shell',
  'The kernel does not limit the memory of the whole',
  'The host measures it.',
  'Until the host has measured',
  'A program that imitates this',
  'Mappings that were inherited by `fork`',
  'Locks of files count up to 2 s late.',
  'Several processes may escape the measurement',
  'the kernel counts some resources for the sandbox and the host',
  'if a program used up their number',
  'That takes 1024 pipes.',
  'A sandbox can have 16,000',
  'must leave room for 64',
  'The spawner is a small process',
  'The embedded provider runs CPython',
  'share one hash seed',
  'is the main thread of the process',
  'uses the files in `/tmp` of the sandbox from outside',
  'are written to `/tmp/inputs` in the sandboxes of their conversation',
  'Sandboxes of the [Kubernetes provider](docs/cluster.md) are pods.',
  'Of them, this page promises what this section says',
  'Give each group of hosts that must not trust each other',
];

/** Where a promise must be shown, by the first word of its id. */
const PLACES_OF: Readonly<Record<string, readonly Place[]>> = {
  /** The host alone decides it. */
  host: [],
  every: ['docker', 'bubblewrap', 'embedded'],
  /** The table that compares the providers has a column for bubblewrap without control groups. */
  compared: PLACES,
  supervisor: ['docker', 'bubblewrap'],
  docker: ['docker'],
  bubblewrap: ['bubblewrap'],
  /** Bubblewrap without control groups. */
  watched: ['watched'],
  embedded: ['embedded'],
  kubernetes: ['kubernetes'],
};

/** What is wrong between a page and the ids of its promises. */
export function faultsOfPage(
  page: string,
  promises: Readonly<Record<string, string>>,
  notes: readonly string[] = NOTES,
): string[] {
  const sentences = sentencesOf(page);
  const ids = Object.entries(promises);
  const parts = [...ids, ...notes.map((part) => ['NOTES', part] as const)];
  return [
    ...sentences.flatMap((sentence) => {
      const own = parts.filter(([, part]) => sentence.text.includes(part)).map(([id]) => id);
      if (own.length > 1) return [`"${sentence.text}" has several ids: ${own.join(', ')}`];
      return own.length === 1 || isExempt(sentence) ? [] : [`"${sentence.text}" has no id`];
    }),
    ...parts.flatMap(([id, part]) => {
      const found = sentences.filter(({ text }) => text.includes(part)).length;
      return found === 1 ? [] : [`${found} sentences have "${part}" (${id})`];
    }),
  ];
}

function isExempt({ text, section }: Sentence): boolean {
  return SECTIONS_WITHOUT_PROMISES.has(section) || PROMISES_NOTHING.test(text);
}

/** The promises that no test shows, and the kinds of sandbox in which no test shows them. */
export function untested(ids: readonly string[], showings: readonly Showing[]): string[] {
  return ids.flatMap((id) => {
    const places = PLACES_OF[id.split('/')[0] ?? ''];
    if (places === undefined) return [`${id} does not begin with a word of PLACES_OF`];
    const shown = showings.filter(({ tags }) => tags.includes(id));
    if (shown.length === 0) return [id];
    return places
      .filter((place) => !shown.some((showing) => showing.places.includes(place)))
      .map((place) => `${id} in ${place}`);
  });
}
