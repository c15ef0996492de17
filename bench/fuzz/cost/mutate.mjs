// Makes new shapes from old ones.

import { isText, partsOf, text, withPart } from './shapes.mjs';
import { PIECES } from './texts.mjs';

/** Otherwise, shapes would double in size with every mutation. */
const MOST_PARTS = 40;

const VALUES = [1, null, 'a', {}, [], true, -1.5].map((value) => ({ value }));

/**
 * @param random - From `seededRandom`.
 * @param options - `shapes` provide parts; `isText` is true if inputs are texts; `pieces` are parts
 *   of texts, in addition to those of all texts.
 */
export function makeMutator(random, { shapes, isText: onlyTexts, pieces = [] }) {
  const one = (list) => list[random.integer(0, list.length - 1)];
  const allPieces = [...PIECES, ...pieces, ...pieces];

  const ofTexts = [
    (part) => changed(part),
    (part) => ({ join: [part, text(one(allPieces))] }),
    (part) => ({ join: [text(one(allPieces)), part] }),
    () => text(one(allPieces), one(['', one(allPieces)]), one(['', one(allPieces)])),
    () => one(partsOf(one(shapes)).filter(isText)) ?? text(one(allPieces)),
  ];
  const ofValues = [
    () => one(VALUES),
    () => one(partsOf(one(shapes))),
    (part) => ({ list: part }),
    (part) => ({ map: part, key: one(['k', '0', 'key ', '__']) }),
    (part) => ({ deep: part, by: one([undefined, 'a']) }),
    (part) => ({ entry: part, key: text(one(allPieces)) }),
    (part) => ({ array: [part, part] }),
    () => ({ list: { counter: one(['number', 'text', 'object']) } }),
    () => text(one(allPieces), '', one(['', '!'])),
  ];

  /** A text with something else in it. */
  function changed(part) {
    if (!('pump' in part)) return text(one(allPieces));
    const piece = one(allPieces);
    return one([
      { ...part, pump: part.pump + piece },
      { ...part, pump: piece + part.pump },
      { ...part, pump: piece },
      { ...part, before: part.before + piece },
      { ...part, after: piece },
    ]);
  }

  return (shape) => {
    let result = shape;
    for (let left = random.integer(1, 3); left > 0; left -= 1) {
      const part = one(partsOf(result));
      const mutations = onlyTexts || isText(part) ? ofTexts : ofValues;
      const next = withPart(result, part, one(mutations)(part));
      if (partsOf(next).length <= MOST_PARTS) result = next;
    }
    return result;
  };
}
