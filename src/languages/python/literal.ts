import { escaper } from '../../shared/control-characters.ts';
import type { JsonValue } from '../../shared/json/json.ts';

/** Python refuses source with more than 200 nested brackets. */
const MAXIMUM_DEPTH = 20;

/** A JSON value as Python source. Parts that are nested too deeply become `...`. */
export function pythonLiteral(value: JsonValue, depth = 0): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return pythonString(value);
  if (typeof value === 'number') return String(value);
  if (depth >= MAXIMUM_DEPTH) return '...';
  if (isArray(value)) {
    return `[${value.map((element) => pythonLiteral(element, depth + 1)).join(', ')}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${pythonString(key)}: ${pythonLiteral(member, depth + 1)}`,
  );
  return `{${members.join(', ')}}`;
}

/**
 * Text as Python source. Every JSON escape has the same meaning in Python. What cannot be seen in the
 * text, or changes how other text is displayed, becomes an escape too.
 */
export function pythonString(text: string): string {
  return escapeDeceptive(JSON.stringify(text));
}

const escapeDeceptive = escaper((character) => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
});

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
