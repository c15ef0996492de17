/** Words that say nothing about what a tool does. */
const STOP_WORDS = words(`
  a an and any are as at be been but by can could do does everybody everyone for from give given had has have
  how if in into is it its just let like need of on or our out please so some somebody someone something that
  the their them then there these they thing this those to us want was we were what when where whose
  will with would you your`);

/** Words that mean nearly the same, each line by the concept that its first word names. */
const CONCEPTS = readConcepts(`
  create add new make open insert register post write start publish set put submit generate save store place
  get read fetch show view retrieve see look check inspect info detail display print download tell
  list all every show browse enumerate see who which history recent
  update edit change modify set patch replace rename adjust close reopen turn put alter configure overwrite save write
  delete remove drop destroy erase clear discard purge wipe unset uninstall withdraw detach kick unassign unlink unpin unstar
  search find query lookup locate look
  add give grant assign append attach put join invite
  enable activate allow on turn protect unblock unlock
  disable deactivate forbid off turn
  cancel abort stop terminate halt kill interrupt end shut unfollow unsubscribe unwatch
  run execute trigger launch start dispatch rerun
  access permission right role privilege collaborator grant
  account profile login user
  alert finding vulnerability leak warning
  approve accept review confirm
  attach upload
  author contributor committer developer
  branch reference ref
  build ci pipeline workflow job action
  child sub below nested
  chart graph statistic stat metric analytics
  comment reply message answer note
  commit change revision history log
  compare diff difference
  configuration config setting option preference
  copy fork clone duplicate
  credential secret password token key
  date deadline due milestone schedule
  dependency package library
  directory folder
  environment stage
  event activity feed timeline happen
  export archive backup migration
  file content text document
  group team
  image picture avatar
  invite invitation
  issue bug ticket defect report
  label tag
  latest newest last recent
  license copyright
  restriction restrict limit
  limit quota remaining rate left
  lock freeze
  mail email
  me my mine myself i own current authenticated self
  move transfer
  notification inbox unread
  organization organisation company
  page site website
  payment bill billing cost invoice
  person user member people contributor collaborator
  pull pr
  react reaction emoji thumb
  repository repo project
  runner machine server
  snippet gist
  ssh key
  star favorite like bookmark stargazer
  status state
  suspend pause
  version release
  view traffic visit look see
  webhook hook callback`);

/** Words with the same first letters, such as `organization` and `organisation`, are related. */
const BEGINNING = 6;

/**
 * The words of a text in the form in which they are compared, without the endings of plurals and verb
 * forms.
 * @param limit - How many words are read at most.
 */
export function stemsOf(text: string, limit: number): string[] {
  const all = wordsOf(text, limit);
  const telling = all.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : all).map(stemOf);
}

/** What a word means, in a form that no word has: words that mean nearly the same share it. */
export function conceptsOf(stem: string): readonly string[] {
  return CONCEPTS.get(stem) ?? [];
}

/** The beginning of a long word, in a form that no word has. Words that share it are similar. */
export function beginningsOf(stem: string): readonly string[] {
  return stem.length > BEGINNING ? [`^${stem.slice(0, BEGINNING)}`] : [];
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

/** The concepts of each word by its stem. A concept begins with `=`, which no word contains. */
function readConcepts(table: string): ReadonlyMap<string, readonly string[]> {
  const concepts = new Map<string, string[]>();
  for (const line of table.trim().split('\n')) {
    const all = line.trim().split(' ');
    for (const word of all) {
      const stem = stemOf(word);
      concepts.set(stem, [...(concepts.get(stem) ?? []), `=${all[0]}`]);
    }
  }
  return concepts;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
