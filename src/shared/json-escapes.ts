import { deceptiveUnits, Speller } from './control-characters.ts';

/** Units of an escape such as `\u009b`. */
const ESCAPE_LENGTH = 6;

/** How many bytes JSON text has in UTF-8 when it has been escaped by `escapeJsonControls`. */
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

const ESCAPES = new Speller((character) => {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
});

/** JSON text whose deceptive characters are escapes of JSON: the same value. Its own line ends stay. */
export function escapeJsonControls(json: string): string {
  return ESCAPES.respell(json);
}

function utf8Length(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x8_00 ? 2 : 3;
}
