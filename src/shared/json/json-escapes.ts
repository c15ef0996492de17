import { escaper } from '../control-characters.ts';

/**
 * Replaces deceptive characters in JSON text by JSON escapes, which does not change its value. Line
 * ends between values stay.
 */
export const escapeJsonControls: (json: string) => string = escaper((character) => {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
});
