// Texts for any function that reads text.

import { text } from './shapes.mjs';

/** What is repeated: characters that parsers, printers and comparisons treat specially. */
const PUMPS = [
  ...['a', 'A', '0', '7', ' ', '\n', '\r\n', '\r', '\t', '-', '_', '.', ',', ':', ';', '/', '\\'],
  ...['"', "'", '`', '~', '@', '#', '%', '%41', '+', '=', '?', '&', '!', '*', '$', '|', '^'],
  ...['{', '}', '[', ']', '(', ')', '<', '>', '{}', '[]', '\\"', '\\u0000', '//', '/a', '~0'],
  ...['a.', 'a-', 'a:', 'a@', 'a/', '1.', '1:', '1-', ':1', '.a', ' a', 'a ', '\na', 'a\n', ',a'],
  ...['\u0000', '\u001b[0m', '\u001b]0;', '\u009b', '\u007f', '\u202e', '\u2028', '\ufeff'],
  ...['\u0085', '\u061c', '\u200b', '\u2066', '\u2066\u2069', '\u007f\u202e', '\u001b\u009b\u007f'],
  ...['é', 'İ', 'ß', 'ﬃ', '\u0301', '\u200d', '\u{1f600}', '\ud800', '\udc00', '中', 'word '],
];

const BEGINNINGS = ['', 'a', '0', '-', '{', '[', '"', 'http://', 'a@', 'P', '0x', '1.'];
const ENDINGS = ['', '!', '\n', 'a'];

/** Shapes of text of all kinds; the plainest first. */
export function anyTexts() {
  const plain = PUMPS.map((pump) => text(pump));
  const framed = PUMPS.flatMap((pump) =>
    BEGINNINGS.flatMap((before) => ENDINGS.map((after) => text(pump, before, after))),
  );
  return [...plain, ...framed.filter(({ before, after }) => before + after !== '')];
}

/** A few of each kind, for inputs with many places for a text. */
export function someTexts() {
  return PUMPS.flatMap((pump) => [text(pump), text(pump, '', '!')]);
}

/** The parts that a mutation may insert into a text. */
export const PIECES = [...new Set([...PUMPS, ...BEGINNINGS.slice(1)])];

/** Text that should not take any function long. */
export const PLAIN_TEXT = text('plain words ');
