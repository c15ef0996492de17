import { escaper } from '../../shared/control-characters.ts';
import type { JsonValue } from '../../shared/json/json.ts';

const MAXIMUM_DEPTH = 20;

/** A JSON value as people write it in JavaScript. Parts that are nested too deeply become `any`. */
export function typescriptLiteral(value: JsonValue, depth = 0): string {
  if (typeof value === 'string') return typescriptString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth >= MAXIMUM_DEPTH) return 'any';
  if (isArray(value)) {
    return `[${value.map((element) => typescriptLiteral(element, depth + 1)).join(', ')}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${propertyName(key)}: ${typescriptLiteral(member, depth + 1)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A property's name, in quotes if it needs them. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : typescriptString(name);
}

/** What cannot be seen in a text, or changes how other text is displayed, becomes an escape. */
function typescriptString(text: string): string {
  return escapeDeceptive(JSON.stringify(text));
}

const escapeDeceptive = escaper((character) => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
});

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
