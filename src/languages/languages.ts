import type { LanguageName } from '../protocol/messages.ts';
import { bash } from './bash/bash.ts';
import type { Language } from './language.ts';
import { python } from './python/python.ts';
import { javascript, typescript } from './typescript/typescript.ts';

/** All languages that programs can be written in. */
export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  bash,
  javascript,
  python,
  typescript,
};
