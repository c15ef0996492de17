/**
 * Finds positions that a syntax tree does not have: punctuation, words and comments between its
 * nodes.
 */

import { needStack } from './stack.mjs';

const TRIVIA = /(?:\s|\/\/.*|\/\*[^]*?\*\/)*/y;
const TRIVIA_AND_PARENTHESES = /(?:[\s)]|\/\/.*|\/\*[^]*?\*\/)*/y;
const WORD = /(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-f]{4}|\\u\{[\da-f]+\})+/iuy;

/** The start of the next token. */
export function nextToken(code, offset) {
  return endOf(TRIVIA, code, offset);
}

/** The start of the next token that is not a closing parenthesis. */
export function nextOutside(code, offset) {
  return endOf(TRIVIA_AND_PARENTHESES, code, offset);
}

/** The end of the word that starts at `offset`. */
export function wordEnd(code, offset) {
  return endOf(WORD, code, offset);
}

function endOf(pattern, code, offset) {
  needStack();
  pattern.lastIndex = offset;
  return pattern.test(code) ? pattern.lastIndex : offset;
}
