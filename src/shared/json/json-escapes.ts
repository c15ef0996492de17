import { deceptiveUnits, Escaper } from '../control-characters.ts';

/** The length of an escape such as `\u009b`. */
const ESCAPE_LENGTH = 6;

/** The size of JSON text in UTF-8, in bytes, after `escapeJsonControls`. */
export function escapedJsonBytes(json: string): number {
  let bytes = Buffer.byteLength(json);
  for (let place = 0; place < json.length; place++) {
    const units = deceptiveUnits(json, place);
    if (units === 0) continue;
    bytes += units * ESCAPE_LENGTH - (units === 2 ? 4 : utf8Length(json.charCodeAt(place)));
    place += units - 1;
  }
  return bytes;
}

const ESCAPES = new Escaper((character) => {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
});

/**
 * Replaces deceptive characters in JSON text by JSON escapes, which does not change its value. Line
 * ends between values stay.
 */
export function escapeJsonControls(json: string): string {
  return ESCAPES.escape(json);
}

function utf8Length(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x8_00 ? 2 : 3;
}
