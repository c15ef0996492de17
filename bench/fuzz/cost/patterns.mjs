// Texts that a regular expression may take long to reject: repetitions of the parts that it
// repeats.

import { text } from './shapes.mjs';

/** The end of a text, so that the pattern fails late. */
const ENDINGS = ['', '!', '\n', '\u0000', ' ', '.'];
const MOST_ALTERNATIVES = 8;
/** One character of each kind that a class may contain. */
const SAMPLES = Array.from('aA10 -._:/@%,;+=~#?&{}[]()<>|"\'\\!*$\t\n\u00e9\u4e00\u{1f600}');

/**
 * Text shapes for a pattern: for each of its repetitions, a text that reaches it and repeats its
 * part.
 */
export function pumpsOf(source) {
  const tree = parse(source);
  if (tree === undefined) return [];
  const found = [];
  walk(tree, '', (before, body) => {
    for (const pump of new Set([...samplesOf(body), ...samplesOf(body).map((one) => one + one)])) {
      if (pump !== '') found.push(...ENDINGS.map((after) => text(pump, before, after)));
    }
  });
  return found;
}

/** A text that the pattern probably accepts; undefined if the pattern cannot be parsed. */
export function sampleOf(source) {
  const tree = parse(source);
  return tree && samplesOf(tree)[0];
}

/** Calls back with each repeated part, and a text that leads to it. */
function walk(node, before, onRepeat) {
  if (node.is === 'repeat') {
    if (node.most > 3) onRepeat(before, node.body);
    walk(node.body, before, onRepeat);
  } else if (node.is === 'either') {
    for (const branch of node.branches) walk(branch, before, onRepeat);
  } else if (node.is === 'sequence') {
    let so = before;
    for (const part of node.parts) {
      walk(part, so, onRepeat);
      so += samplesOf(part)[0] ?? '';
    }
  }
}

/** Some texts that a part accepts, the shortest kind first. */
function samplesOf(node) {
  switch (node.is) {
    case 'characters':
      return node.samples;
    case 'repeat':
      return samplesOf(node.body).map((one) => one.repeat(Math.max(1, Math.min(node.least, 40))));
    case 'either':
      return node.branches.map((branch) => samplesOf(branch)[0] ?? '').slice(0, MOST_ALTERNATIVES);
    case 'sequence': {
      const lists = node.parts.map(samplesOf);
      const longest = Math.min(Math.max(1, ...lists.map((list) => list.length)), 3);
      return Array.from({ length: longest }, (_, index) =>
        lists.map((list) => list[index % list.length] ?? '').join(''),
      );
    }
    default:
      return [''];
  }
}

/** Parses the syntax that patterns of schemas usually have; undefined for other syntax. */
function parse(source) {
  let place = 0;
  const peek = () => source[place];

  function either() {
    const branches = [sequence()];
    while (peek() === '|') {
      place += 1;
      branches.push(sequence());
    }
    return branches.length === 1 ? branches[0] : { is: 'either', branches };
  }

  function sequence() {
    const parts = [];
    while (place < source.length && peek() !== '|' && peek() !== ')') parts.push(repeated());
    return { is: 'sequence', parts };
  }

  function repeated() {
    const body = single();
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(place));
    if (quantifier === null) return body;
    place += quantifier[0].length;
    const [sign, least, comma, most] = quantifier;
    if (sign.startsWith('?')) return { is: 'repeat', body, least: 0, most: 1 };
    if (least === undefined) {
      return { is: 'repeat', body, least: sign.startsWith('+') ? 1 : 0, most: Infinity };
    }
    const end = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
    return { is: 'repeat', body, least: Number(least), most: end };
  }

  function single() {
    const rest = source.slice(place);
    const group = /^\((?:\?(?::|=|!|<=|<!|<\w+>|[a-z]*:))?/.exec(rest);
    if (group !== null) {
      place += group[0].length;
      const inner = either();
      place += 1;
      return /\?<?[=!]/.test(group[0]) ? { is: 'nothing' } : inner;
    }
    const atom =
      /^(?:\[(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\u.{4}|\\x..|\\[pP]\{[^}]*\}|\\c.|\\.|.)/su.exec(
        rest,
      );
    if (atom === null) throw new Error('unread');
    place += atom[0].length;
    if (/^(?:[$^]|\\[bB])$/.test(atom[0])) return { is: 'nothing' };
    return { is: 'characters', samples: charactersOf(atom[0]) };
  }

  try {
    const tree = either();
    return place === source.length ? tree : undefined;
  } catch {
    return undefined;
  }
}

/** Up to five characters that an atom accepts. */
function charactersOf(atom) {
  const whole = ['u', ''].map((flags) => compile(`^${atom}$`, flags)).find(Boolean);
  if (whole === undefined) return ['a'];
  const own = Array.from(atom.replace(/^\[\^?|\]$/g, ''));
  const found = [...SAMPLES, ...own].filter((one) => whole.test(one));
  return found.length === 0 ? ['a'] : [...new Set(found)].slice(0, 5);
}

function compile(source, flags) {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
