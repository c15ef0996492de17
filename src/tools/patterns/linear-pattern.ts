import { createRequire } from 'node:module';
import type { AST } from '@eslint-community/regexpp';
import type { RE2JS } from 're2js';
import { loadDependency, throwIfIncomplete } from '../../shared/installation.ts';
import { propertyRanges } from './unicode-property.ts';

// Loaded with the first pattern that needs it.
const load = createRequire(import.meta.url);

/**
 * Thrown for a pattern that cannot be matched in one pass, because of lookaround or references to
 * groups.
 */
class NotLinear extends Error {}

/** Tests whether a text contains a match of a pattern. */
export interface Matcher {
  test(text: string): boolean;
}

/**
 * A matcher whose time is proportional to the text for every pattern, and whose answers are those
 * of JavaScript. Undefined for patterns that do not allow this.
 * @param isUnicode - Whether the pattern has the flag `u`.
 */
export function linearMatcher(pattern: AST.Pattern, isUnicode: boolean): Matcher | undefined {
  let source: string;
  let engine: RE2JS;
  try {
    source = new Translation(isUnicode).of(pattern);
    engine = compile(source);
  } catch (error) {
    throwIfIncomplete(error);
    return undefined;
  }
  let isWhole = true;
  return {
    test(text) {
      // The engine builds its automaton while it matches. An interrupted one may have an incomplete
      // step.
      if (!isWhole) engine = compile(source);
      isWhole = false;
      const found = engine.test(isUnicode ? text : withHalvesApart(text));
      isWhole = true;
      return found;
    },
  };
}

function compile(source: string): RE2JS {
  const { RE2JS: Engine } = loadDependency(() => load('re2js') as typeof import('re2js'));
  return Engine.compile(source);
}

/**
 * Added to half of a surrogate pair, this makes a code point that no text contains after all pairs
 * have been split.
 */
const HALF = 0x10_0000;
const FIRST_HALF = 0xd800;
const LAST_HALF = 0xdfff;

/**
 * Without the flag `u`, a pattern matches the halves of surrogate pairs separately, but the engine
 * matches code points.
 */
function withHalvesApart(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, (half) =>
    String.fromCodePoint(HALF + half.charCodeAt(0)),
  );
}

// These classes have other characters in JavaScript than in RE2.
const SPACE =
  '\\x{9}-\\x{d} \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';
const ANYTHING = '\\x{0}-\\x{10ffff}';

/** Translates a JavaScript pattern to the syntax of RE2. */
class Translation {
  readonly #isUnicode: boolean;

  constructor(isUnicode: boolean) {
    this.#isUnicode = isUnicode;
  }

  of({ alternatives }: { readonly alternatives: readonly AST.Alternative[] }): string {
    return alternatives
      .map(({ elements }) => elements.map((element) => this.#element(element)).join(''))
      .join('|');
  }

  #element(node: AST.Element): string {
    switch (node.type) {
      case 'Character':
        return this.#character(node.value);
      case 'CharacterSet':
        return node.kind === 'any' ? NO_LINE_END : characterClass(false, this.#member(node));
      case 'CharacterClass':
        return characterClass(
          node.negate,
          node.elements.map((part) => this.#member(part)).join(''),
        );
      case 'Group':
        if (node.modifiers !== null) throw new NotLinear();
        return `(?:${this.of(node)})`;
      case 'CapturingGroup':
        return `(?:${this.of(node)})`;
      case 'Quantifier':
        return `(?:${this.#element(node.element)}){${node.min},${node.max === Infinity ? '' : node.max}}`;
      case 'Assertion':
        return this.#assertion(node);
      default:
        throw new NotLinear();
    }
  }

  #assertion(node: AST.Assertion): string {
    switch (node.kind) {
      case 'start':
        return '\\A';
      case 'end':
        return '\\z';
      case 'word':
        // V8 finds `\B` inside a surrogate pair even with the flag `u`, although no code point
        // begins there.
        if (node.negate && this.#isUnicode) throw new NotLinear();
        return node.negate ? '\\B' : '\\b';
      default:
        throw new NotLinear();
    }
  }

  /** A part of a character class. */
  #member(node: AST.CharacterClassElement): string {
    switch (node.type) {
      case 'Character':
        return this.#character(node.value);
      case 'CharacterClassRange':
        return this.#range(node.min.value, node.max.value);
      case 'CharacterSet':
        return characterSet(node);
      default:
        throw new NotLinear();
    }
  }

  #range(first: number, last: number): string {
    if (this.#isUnicode) return `${this.#character(first)}-${this.#character(last)}`;
    const firstHalf = Math.max(first, FIRST_HALF);
    const lastHalf = Math.min(last, LAST_HALF);
    const halves =
      firstHalf <= lastHalf ? `${codePoint(HALF + firstHalf)}-${codePoint(HALF + lastHalf)}` : '';
    return `${codePoint(first)}-${codePoint(last)}${halves}`;
  }

  #character(value: number): string {
    if (value < FIRST_HALF || value > LAST_HALF) return codePoint(value);
    // A Unicode pattern matches halves only if they are not in pairs.
    if (this.#isUnicode) throw new NotLinear();
    return codePoint(HALF + value);
  }
}

function characterClass(isNegated: boolean, members: string): string {
  // JavaScript allows empty classes, such as `[]`.
  if (members === '') return isNegated ? `[${ANYTHING}]` : `[^${ANYTHING}]`;
  return `[${isNegated ? '^' : ''}${members}]`;
}

function codePoint(value: number): string {
  return `\\x{${value.toString(16)}}`;
}

function characterSet(node: AST.EscapeCharacterSet | AST.UnicodePropertyCharacterSet): string {
  switch (node.kind) {
    case 'digit':
      return node.negate ? '\\D' : '\\d';
    case 'word':
      return node.negate ? '\\W' : '\\w';
    case 'space':
      return node.negate ? NO_SPACE : SPACE;
    default:
      return propertyRanges(node.raw);
  }
}
