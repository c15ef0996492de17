// Makes new inputs from old ones.

import { attachPart } from './inputs.mjs';

/** Longer inputs only take longer. */
const MAX_BYTES = 4096;

/**
 * @param {object} random - From `seededRandom`.
 * @param {readonly Buffer[]} tokens - Parts that may be inserted.
 * @param {readonly Buffer[]} corpus - Inputs from which parts may be taken.
 */
export function makeMutator(random, tokens, corpus) {
  const one = (list) => list[random.integer(0, list.length - 1)];
  const place = (bytes) => random.integer(0, bytes.length);
  const put = (bytes, start, end, middle) =>
    Buffer.concat([bytes.subarray(0, start), middle, bytes.subarray(end)]);
  const range = (bytes) => {
    const start = place(bytes);
    return [start, Math.min(bytes.length, start + random.integer(1, 32))];
  };

  const mutations = [
    // Flips one bit.
    (bytes) => {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[random.integer(0, copy.length - 1)] ^= 1 << random.integer(0, 7);
      return copy;
    },
    // Removes some bytes.
    (bytes) => put(bytes, ...range(bytes), Buffer.alloc(0)),
    // Repeats some bytes.
    (bytes) => {
      const [start, end] = range(bytes);
      return put(bytes, start, start, bytes.subarray(start, end));
    },
    // Inserts a token, or overwrites bytes with it.
    (bytes) => {
      const start = place(bytes);
      return put(bytes, start, start, one(tokens));
    },
    (bytes) => put(bytes, ...range(bytes), one(tokens)),
    // Inserts a part of another input.
    (bytes) => {
      const other = one(corpus);
      const [start, end] = [place(other), place(other)].sort((a, b) => a - b);
      const at = place(bytes);
      return put(bytes, at, at, other.subarray(start, end));
    },
    // Replaces a whole body, or one value of it.
    (bytes) => replaceFound(bytes, /(?<=__PTC_[A-Z_]+?__)[{[].*(?=__PTC_END_)/s),
    (bytes) => replaceFound(bytes, /(?<=":)("[^"]*"|[^,{}"]+|\{[^{}]*\})/g),
    // Wraps a payload as part of an attach stream.
    (bytes) =>
      Buffer.concat([
        Buffer.from([bytes[0] | 2, bytes[1] ?? 0]),
        attachPart({ stream: one(['stdout', 'stderr']), bytes: bytes.subarray(2) }),
      ]),
  ];

  function replaceFound(bytes, pattern) {
    // One character for each byte, so that positions are the same.
    const text = bytes.toString('latin1');
    const found = pattern.global ? [...text.matchAll(pattern)] : [text.match(pattern) ?? []];
    const { 0: part, index } = found.length > 0 ? one(found) : [];
    return part === undefined ? bytes : put(bytes, index, index + part.length, one(tokens));
  }

  return (bytes) => {
    let result = bytes;
    for (let left = random.integer(1, 4); left > 0; left -= 1) result = one(mutations)(result);
    return result.subarray(0, MAX_BYTES);
  };
}
