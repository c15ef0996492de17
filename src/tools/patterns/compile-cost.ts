import type { AST } from '@eslint-community/regexpp';
import { isKnownProperty } from './unicode-property.ts';

/**
 * The most that the patterns of one schema may cost: about 0.1 s on a slow machine, or 0.3 s if three
 * properties of characters are new.
 */
const MAXIMUM_COST = 20_000;
/** To look up the characters of a property for the first time takes up to 100 ms. */
const NEW_PROPERTY_COST = 6000;
/** A property has hundreds of ranges. */
const PROPERTY_COST = 100;

/**
 * What may still be spent on the patterns of a schema. A short pattern can be large when it is
 * compiled, because the linear engine copies what is repeated, and a schema from elsewhere can have
 * hundreds of them.
 */
export class CompileBudget {
  #left = MAXIMUM_COST;

  /** Returns false, and takes nothing, if less than `cost` is left. */
  take(cost: number): boolean {
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }
}

/** What the linear engine needs to compile a pattern, in parts of it. */
export function compileCost(pattern: AST.Pattern): number {
  const properties = new Set<string>();
  const cost = ofAlternatives(pattern.alternatives, properties);
  const added = [...properties].filter((property) => !isKnownProperty(property));
  return cost + added.length * NEW_PROPERTY_COST;
}

type Part = AST.Element | AST.CharacterClassElement;

function ofAlternatives(alternatives: readonly AST.Alternative[], properties: Set<string>): number {
  return alternatives.reduce((sum, { elements }) => sum + ofParts(elements, properties), 1);
}

function ofParts(parts: readonly Part[], properties: Set<string>): number {
  return parts.reduce((sum, part) => sum + ofPart(part, properties), 0);
}

function ofPart(part: Part, properties: Set<string>): number {
  switch (part.type) {
    case 'Quantifier': {
      const copies = part.max === Infinity ? part.min + 1 : part.max;
      return 1 + copies * ofPart(part.element, properties);
    }
    case 'CharacterClass':
      return 1 + ofParts(part.elements, properties);
    case 'CharacterSet':
      if (part.kind !== 'property') return 1;
      properties.add(part.raw);
      return PROPERTY_COST;
    case 'Group':
    case 'CapturingGroup':
      return ofAlternatives(part.alternatives, properties);
    default:
      // The linear engine has no lookaround, and no patterns with the flag `v` get here.
      return 1;
  }
}
