import type { AST } from '@eslint-community/regexpp';
import { throwIfIncomplete } from '../../shared/installation.ts';
import { CompileBudget, compileCost } from './compile-cost.ts';
import { linearMatcher, type Matcher } from './linear-pattern.ts';
import { isLinear, parsePattern } from './pattern-cost.ts';

/** A pattern of a JSON Schema. */
export interface Pattern extends Matcher {
  /** JavaScript's regular expression, if its time may grow faster than the length of the text. */
  readonly unbounded: RegExp | undefined;
  /** Whether JavaScript's own engine matches it, in time proportional to the text. */
  readonly isSimple: boolean;
  /** Ajv identifies patterns by it. */
  toString(): string;
}

/** How many characters of a pattern are read in the time in which one part of it is compiled. */
const CHARACTERS_PER_COST = 10;

/**
 * Uses JavaScript's own engine if that is certainly fast, otherwise a linear engine if the pattern
 * and the budget allow it.
 * @param budget - What all patterns of a schema share. @default the pattern has one of its own
 */
export function compilePattern(
  source: string,
  budget: CompileBudget = new CompileBudget(),
): Pattern {
  const native = lenientRegExp(source);
  const parsed = budget.take(Math.ceil(source.length / CHARACTERS_PER_COST))
    ? parse(native)
    : undefined;
  const isFast = parsed !== undefined && isLinear(parsed, native.flags);
  const linear =
    parsed !== undefined && !isFast && budget.take(compileCost(parsed))
      ? linearMatcher(parsed, native.unicode)
      : undefined;
  const matcher = linear ?? native;
  return {
    unbounded: isFast || linear ? undefined : native,
    isSimple: isFast,
    test: (text) => matcher.test(text),
    toString: () => String(native),
  };
}

/** Whether JavaScript certainly takes time proportional to the text. */
export function isLinearRegExp(pattern: RegExp): boolean {
  const parsed = parse(pattern);
  return parsed !== undefined && isLinear(parsed, pattern.flags);
}

/** Undefined if the parser does not know the syntax. */
function parse(pattern: RegExp): AST.Pattern | undefined {
  try {
    return parsePattern(pattern);
  } catch (error) {
    throwIfIncomplete(error);
    return undefined;
  }
}

/** Many patterns are not valid with the flag `u`, often only because of an escape such as `\@`. */
function lenientRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
