import { createRequire } from 'node:module';
import type { AST } from '@eslint-community/regexpp';
import { loadDependency } from '../../shared/installation.ts';

// Loaded with the first pattern of a schema.
const load = createRequire(import.meta.url);

/** The most steps for each character of a text: 20,000 characters then take at most about 20 ms. */
const MAXIMUM_STEPS = 500;
/** A repetition whose count varies by more than this counts as unlimited. */
const MAXIMUM_SPREAD = 20;

/**
 * Upper bounds of the work of a backtracking engine for a part of a pattern, from one position of a
 * text.
 */
interface Cost {
  /** In how many ways the part can match, not counting the lengths of its loops. */
  readonly ways: number;
  /** Its length, without its loops. */
  readonly steps: number;
  /** How many unlimited repetitions follow each other. */
  readonly loops: number;
}

const NOTHING: Cost = { ways: 1, steps: 0, loops: 0 };
const CHARACTER: Cost = { ways: 1, steps: 1, loops: 0 };
const UNKNOWN: Cost = { ways: 1, steps: 0, loops: Infinity };

export function parsePattern({ source, flags }: RegExp): AST.Pattern {
  const { RegExpParser } = loadDependency(
    () => load('@eslint-community/regexpp') as typeof import('@eslint-community/regexpp'),
  );
  const unicode = flags.includes('u');
  const unicodeSets = flags.includes('v');
  return new RegExpParser().parsePattern(source, 0, source.length, { unicode, unicodeSets });
}

/**
 * Whether a backtracking engine certainly takes time proportional to the text: the pattern has at
 * most one loop and can only match at the start of the text. False for many harmless patterns.
 */
export function isLinear(pattern: AST.Pattern, flags: string): boolean {
  const { ways, steps, loops } = ofAlternatives(pattern.alternatives);
  const isAnchored =
    !flags.includes('m') &&
    pattern.alternatives.every(({ elements: [first] }) => {
      return first?.type === 'Assertion' && first.kind === 'start';
    });
  return loops + (isAnchored ? 0 : 1) <= 1 && ways * (steps + 1) <= MAXIMUM_STEPS;
}

function ofAlternatives(alternatives: readonly AST.Alternative[]): Cost {
  const costs = alternatives.map(({ elements }) => ofSequence(elements));
  return {
    ways: costs.reduce((sum, { ways }) => sum + ways, 0),
    steps: Math.max(...costs.map(({ steps }) => steps)),
    loops: Math.max(...costs.map(({ loops }) => loops)),
  };
}

function ofSequence(elements: readonly AST.Element[]): Cost {
  return elements.map(ofElement).reduce(
    (sum, cost) => ({
      ways: sum.ways * cost.ways,
      steps: sum.steps + cost.steps,
      loops: sum.loops + cost.loops,
    }),
    NOTHING,
  );
}

function ofElement(element: AST.Element): Cost {
  switch (element.type) {
    case 'Character':
    case 'CharacterSet':
      return CHARACTER;
    case 'CharacterClass':
      // With the flag v, a class may contain texts of several lengths.
      return element.unicodeSets ? UNKNOWN : CHARACTER;
    case 'Group':
    case 'CapturingGroup':
      return ofAlternatives(element.alternatives);
    case 'Quantifier':
      return ofQuantifier(element);
    case 'Assertion':
      return 'alternatives' in element ? ofAlternatives(element.alternatives) : NOTHING;
    default:
      return UNKNOWN;
  }
}

function ofQuantifier({ element, min, max }: AST.Quantifier): Cost {
  const { ways, steps, loops } = ofElement(element);
  if (max - min <= MAXIMUM_SPREAD) {
    return { ways: ways ** max * (max - min + 1), steps: steps * max, loops: loops * max };
  }
  // The repeated part has one length and one way to match, so only the end of the loop is open.
  const isSingle = ways === 1 && loops === 0;
  return isSingle ? { ways: 1, steps: steps * (min + 1), loops: 1 } : UNKNOWN;
}
