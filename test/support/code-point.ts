import * as fc from 'fast-check';

const SURROGATES_START = 0xd800;
const SURROGATES = 0x800;

/**
 * Any character of Unicode, as the unit of a text. That of fast-check (`binary`) takes half a second and 100 MB, because it
 * makes a table of all characters.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < SURROGATES_START ? index : index + SURROGATES),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) {
      throw new Error('It is not one character.');
    }
    return point < SURROGATES_START ? point : point - SURROGATES;
  },
);
