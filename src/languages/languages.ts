import type { LanguageName } from '../protocol/messages.ts';
import type { Language } from './language.ts';
import { python } from './python.ts';

/** All that programs can be written in. */
export const LANGUAGES: Readonly<Partial<Record<LanguageName, Language>>> = { python };
