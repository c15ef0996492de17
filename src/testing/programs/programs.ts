import type { LanguageName } from '../../protocol/messages.ts';
import { PtcError } from '../../shared/errors.ts';
import type { ContractPrograms } from '../contract-programs.ts';
import { bash } from './bash.ts';
import { javascript } from './javascript.ts';
import { python } from './python.ts';
import { typescript } from './typescript.ts';

const TABLES: Readonly<Partial<Record<LanguageName, ContractPrograms>>> = {
  python,
  typescript,
  javascript,
  bash,
};

/** The programs that this package has for a language. @throws PtcError `OPTION_INVALID` where it has none. */
export function programsOf(language: LanguageName): ContractPrograms {
  const programs = Object.hasOwn(TABLES, language) ? TABLES[language] : undefined;
  if (programs !== undefined) return programs;
  const message = `There are no programs for ${language}: pass a table of them as programs.`;
  throw new PtcError('OPTION_INVALID', message, { details: { option: 'language', language } });
}
