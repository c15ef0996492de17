/** Places in a text that a syntax tree leaves out: between its nodes there are marks, words and comments. */

const TRIVIA = /(?:\s|\/\/.*|\/\*[^]*?\*\/)*/y;
const TRIVIA_AND_PARENTHESES = /(?:[\s)]|\/\/.*|\/\*[^]*?\*\/)*/y;
const WORD = /(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-f]{4}|\\u\{[\da-f]+\})+/iuy;

/** Where the next token starts. */
export function nextToken(code, offset) {
  return endOf(TRIVIA, code, offset);
}

/** Where the next token starts that does not end a parenthesis around what is before it. */
export function nextOutside(code, offset) {
  return endOf(TRIVIA_AND_PARENTHESES, code, offset);
}

/** Where the word that starts at `offset` ends. */
export function wordEnd(code, offset) {
  return endOf(WORD, code, offset);
}

function endOf(pattern, code, offset) {
  pattern.lastIndex = offset;
  return pattern.test(code) ? pattern.lastIndex : offset;
}
