import type { Language } from '../languages/language.ts';
import { LANGUAGES } from '../languages/languages.ts';
import type { LanguageName } from '../protocol/messages.ts';
import { PtcError } from '../shared/errors.ts';
import { showValue } from '../shared/show-value.ts';

export const DEFAULT_LANGUAGES: readonly LanguageName[] = ['python'];

/**
 * The languages of an executor, the default first.
 * @throws PtcError `OPTION_INVALID` for an empty list or an unknown language.
 */
export function offeredLanguages(
  names: readonly LanguageName[] = DEFAULT_LANGUAGES,
): readonly Language[] {
  if (names.length === 0) throw invalid('languages', 'none', Object.keys(LANGUAGES));
  return names.map((name) => {
    const language = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
    if (language === undefined) throw invalid('languages', name, Object.keys(LANGUAGES));
    return language;
  });
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
  const known = languages.map((one) => one.name);
  const isOther = name !== undefined && Object.hasOwn(LANGUAGES, name);
  throw invalid('language', name, known, isOther ? ' Add it to languages of the executor.' : '');
}

function invalid(option: string, value: unknown, known: readonly string[], advice = ''): PtcError {
  return new PtcError(
    'OPTION_INVALID',
    `${option} must be one of ${known.join(', ')}, not ${showValue(value)}.${advice}`,
    { details: { option, value } },
  );
}
