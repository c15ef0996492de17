import type { AST } from '@eslint-community/regexpp';
import { throwIfIncomplete } from '../shared/installation.ts';
import { linearMatcher, type Matcher } from './linear-pattern.ts';
import { isLinear, parsePattern } from './pattern-cost.ts';

/** A pattern of a JSON Schema. */
export interface Pattern extends Matcher {
  /** JavaScript's own, if it may take longer than in proportion to the text. */
  readonly unbounded: RegExp | undefined;
  /** Whether JavaScript's own engine matches it, in time in proportion to the text. */
  readonly isSimple: boolean;
  /** Ajv tells patterns apart by it. */
  toString(): string;
}

/** Matches by JavaScript's own engine if that is surely fast, else by a linear one if the pattern can have one. */
export function compilePattern(source: string): Pattern {
  const native = lenientRegExp(source);
  const parsed = parse(native);
  const isFast = parsed !== undefined && isLinear(parsed, native.flags);
  const linear = parsed === undefined || isFast ? undefined : linearMatcher(parsed, native.unicode);
  const matcher = linear ?? native;
  return {
    unbounded: isFast || linear ? undefined : native,
    isSimple: isFast,
    test: (text) => matcher.test(text),
    toString: () => String(native),
  };
}

/** Whether JavaScript surely takes time in proportion to the text. */
export function isLinearRegExp(pattern: RegExp): boolean {
  const parsed = parse(pattern);
  return parsed !== undefined && isLinear(parsed, pattern.flags);
}

/** Undefined if the syntax is newer than the parser. */
function parse(pattern: RegExp): AST.Pattern | undefined {
  try {
    return parsePattern(pattern);
  } catch (error) {
    throwIfIncomplete(error);
    return undefined;
  }
}

/** Many patterns in the wild are no Unicode patterns, for an escape like `\@` alone. */
function lenientRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
