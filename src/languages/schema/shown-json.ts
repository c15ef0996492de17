import { escaper } from '../../shared/control-characters.ts';
import type { JsonValue } from '../../shared/json/json.ts';

/**
 * A value as JSON text that models read: what cannot be seen in it, or changes how other text is
 * displayed, is an escape of JSON.
 */
export function shownJson(value: JsonValue): string {
  return escapeDeceptive(JSON.stringify(value));
}

// JSON has no escape for a character beyond U+FFFF, but one for each half of its surrogate pair.
const escapeDeceptive = escaper((character) =>
  Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  }).join(''),
);
