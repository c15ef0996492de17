import type { Language } from '../../languages/language.ts';
import { LANGUAGES } from '../../languages/languages.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import { checkOneOf, invalidOption, oneOf } from '../../shared/options/option-values.ts';

export const DEFAULT_LANGUAGES: readonly LanguageName[] = ['python'];

/**
 * The languages of an executor, the default first.
 * @throws PtcError `OPTION_INVALID` for an empty list or an unknown language.
 */
export function offeredLanguages(
  names: readonly LanguageName[] = DEFAULT_LANGUAGES,
): readonly Language[] {
  if (names.length === 0) throw invalidOption('languages', names, "an array such as ['python']");
  for (const name of names) checkOneOf('languages', name, Object.keys(LANGUAGES));
  return names.map((name) => LANGUAGES[name]);
}

/**
 * The language of a program.
 * @param name -
 * @default the first of those offered
 * @throws PtcError `OPTION_INVALID` for a language that is not offered.
 */
export function chooseLanguage(
  offered: readonly LanguageName[] | undefined,
  name: LanguageName | undefined,
): Language {
  const languages = offeredLanguages(offered);
  const language = languages.find((one) => one.name === (name ?? languages[0]?.name));
  if (language !== undefined) return language;
  const known = oneOf(languages.map((one) => one.name));
  throw invalidOption('language', name, known, adviceAbout(name, languages));
}

/** How people write the names of languages, such as in a Markdown fence. */
const OTHER_NAMES: ReadonlyMap<string, LanguageName> = new Map([
  ['js', 'javascript'],
  ['py', 'python'],
  ['sh', 'bash'],
  ['ts', 'typescript'],
]);

function adviceAbout(name: unknown, offered: readonly Language[]): string | undefined {
  if (typeof name !== 'string') return undefined;
  const small = name.toLowerCase();
  const meant = OTHER_NAMES.get(small) ?? small;
  if (!Object.hasOwn(LANGUAGES, meant)) return undefined;
  const question = meant === name ? [] : [`Did you mean ${meant}?`];
  const isOffered = offered.some((one) => one.name === meant);
  return [...question, ...(isOffered ? [] : ['Add it to languages of the executor.'])].join(' ');
}
