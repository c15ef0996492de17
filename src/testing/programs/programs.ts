import type { LanguageName } from '../../protocol/messages.ts';
import { PtcError } from '../../shared/errors.ts';
import type { ContractPrograms } from './contract-programs.ts';
import { bash } from './bash.ts';
import { javascript } from './javascript.ts';
import { python } from './python.ts';
import { typescript } from './typescript.ts';

const TABLES: Readonly<Record<LanguageName, ContractPrograms>> = {
  python,
  typescript,
  javascript,
  bash,
};

/** @returns the programs of this package for a language. @throws PtcError `OPTION_INVALID` if it has none. */
export function programsOf(language: LanguageName): ContractPrograms {
  const programs = Object.hasOwn(TABLES, language) ? TABLES[language] : undefined;
  if (programs !== undefined) return programs;
  const message = `This package has no programs for the language ${language}. Pass a table of them as the option programs.`;
  throw new PtcError('OPTION_INVALID', message, { details: { option: 'language', language } });
}
