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
  const isOther = name !== undefined && Object.hasOwn(LANGUAGES, name);
  const advice = isOther ? 'Add it to languages of the executor.' : undefined;
  throw invalidOption('language', name, known, advice);
}
