import type { LanguageName } from '../protocol/messages.ts';
import { bash } from './bash.ts';
import type { Language } from './language.ts';
import { python } from './python.ts';
import { javascript, typescript } from './typescript.ts';

/** All languages that programs can be written in. */
export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  bash,
  javascript,
  python,
  typescript,
};
