/** Words that say nothing about what a tool does. */
const STOP_WORDS = words(`
  a an and any are as at be been but by can could do does for from had has have how i if in into is it its
  just let like me my need of on or our out please so some that the their them then there these they this
  those to us want was we were what when where which who whose will with would you your`);

/** Words that mean nearly the same, each line by the concept that its first word names. */
const CONCEPTS = conceptsOf(`
  create add new make open insert register post write start publish set
  get read fetch show view retrieve see look check inspect info detail
  list all every show browse enumerate see who which history recent
  update edit change modify set patch replace rename adjust close reopen turn
  delete remove drop destroy erase clear discard kick
  search find query lookup locate look
  enable activate allow on turn protect
  disable deactivate forbid off turn
  cancel abort stop terminate
  run execute trigger launch start dispatch rerun
  access permission right role collaborator
  account profile login user
  alert finding vulnerability leak warning
  attach upload
  branch reference ref
  build ci pipeline workflow job action
  change diff difference compare
  comment reply message answer note
  copy fork clone duplicate
  credential secret password token key
  file content text document
  group team
  invite invitation
  issue bug ticket defect
  label tag
  limit quota remaining
  mail email
  move transfer
  organization organisation company
  page site website
  person user member people contributor collaborator
  pull pr
  react reaction emoji thumb
  repository repo project
  snippet gist
  star favorite like bookmark
  version release
  view traffic visit`);

/** How a word counts: itself fully, the verbs with nearly the same meaning less. */
const CONCEPT_WEIGHT = 0.6;

/** A word of a text, in the form in which words are compared, and its weight. */
export type Term = readonly [term: string, weight: number];

/**
 * The words of a text in the form in which they are compared: without the endings of plurals and verb
 * forms, and with the concepts that they name.
 * @param limit - How many words are read at most.
 */
export function termsOf(text: string, limit: number): Term[] {
  const all = wordsOf(text, limit);
  const telling = all.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : all).flatMap((word) => {
    const stem = stemOf(word);
    const concepts = CONCEPTS.get(stem) ?? [];
    return [[stem, 1], ...concepts.map((concept): Term => [concept, CONCEPT_WEIGHT])];
  });
}

/** Whether a word is a verb of many tools' names, or says nothing about what a tool does. */
export function isCommonWord(word: string): boolean {
  return STOP_WORDS.has(word) || CONCEPTS.has(stemOf(word));
}

/**
 * The words of a text in small letters. Names are split at `_`, `:`, `-` and capital letters.
 * @param limit - How many words are read at most.
 */
export function wordsOf(text: string, limit: number): string[] {
  const found: string[] = [];
  const spaced = text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\p{Nd})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ');
  for (const [word] of spaced.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (found.length === limit) break;
    found.push(word.toLowerCase());
  }
  return found;
}

/** A light stemmer of English: `repositories` and `repository`, `setting` and `set` become equal. */
function stemOf(word: string): string {
  let stem = word;
  if (stem.length > 4 && stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`;
  else if (stem.length > 3 && /[^sui]s$/.test(stem)) stem = stem.slice(0, -1);
  if (stem.length > 5 && stem.endsWith('ing')) stem = withoutDouble(stem.slice(0, -3));
  else if (stem.length > 4 && stem.endsWith('ed')) stem = withoutDouble(stem.slice(0, -2));
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}

function withoutDouble(stem: string): string {
  return /([^aeiouls])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

/** The concepts of each verb by its stem. A concept begins with `=`, which no word contains. */
function conceptsOf(table: string): ReadonlyMap<string, readonly string[]> {
  const concepts = new Map<string, string[]>();
  for (const line of table.trim().split('\n')) {
    const verbs = line.trim().split(' ');
    for (const verb of verbs) {
      const stem = stemOf(verb);
      concepts.set(stem, [...(concepts.get(stem) ?? []), `=${verbs[0]}`]);
    }
  }
  return concepts;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
