import type { AST } from '@eslint-community/regexpp';
import { throwIfIncomplete } from '../../shared/installation.ts';
import { warn } from '../../shared/process-warning.ts';
import { DeadlineError, withinDeadline } from '../limits/deadline.ts';
import { parsePattern } from './pattern-cost.ts';

/**
 * Linear patterns take less than 0.1 ms for it (on slow machines, milliseconds), and a time limit
 * stops those that take quadratic time.
 */
const TEXT_LENGTH = 50_000;
const LIMIT_MS = 35;
/** Work that got so much processor time and did not end is slow. */
const ENOUGH_MS = 28;
const LONGEST_LIMIT_MS = 16 * LIMIT_MS;
const MAXIMUM_TEXTS = 60;
/** How much of a pattern a warning shows. */
const SHOWN_LENGTH = 200;
/** The ends of texts, chosen so that a match fails late. */
const ENDS = ['', '\u0000', '\n', '!'];
const CHARACTERS = ['a', '0', 'A', '-', '_', '.', ' ', '@', '/', 'é', '\n'];

/**
 * The result for each pattern: many tools have the same ones, such as zod's patterns for addresses.
 */
const slowness = new Map<string, boolean>();

/** Warns once about a tool if a program can make one of its patterns take too long. */
export function warnOfSlowPatterns(tool: string, patterns: readonly RegExp[]): void {
  const slow = patterns.find((pattern) => {
    const isKnownSlow = slowness.get(String(pattern)) ?? isSlow(pattern);
    slowness.set(String(pattern), isKnownSlow);
    return isKnownSlow;
  });
  if (slow === undefined) return;
  warn(
    `Tool ${JSON.stringify(tool)}: the pattern ${String(slow).slice(0, SHOWN_LENGTH)} takes more than ${LIMIT_MS} ms for some texts of up to ${TEXT_LENGTH} characters. Calls with such arguments are refused after that time, during which the host does nothing else. Do not nest repetitions, and do not put two repetitions that match the same text next to each other.`,
    'PTC_SLOW_PATTERN',
  );
}

/**
 * Whether a pattern took too long for texts that repeat what its loops repeat. False means that
 * none of these texts took too long, not that none could.
 */
function isSlow(pattern: RegExp): boolean {
  const probe = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  let texts: string[];
  try {
    texts = hostileTexts(parsePattern(probe), probe.flags);
  } catch (error) {
    throwIfIncomplete(error);
    // The parser does not know the syntax.
    return false;
  }
  let tested = 0;
  const testRest = (): void => {
    for (; tested < texts.length; tested++) probe.test(texts[tested] ?? '');
  };
  let limitMs = LIMIT_MS;
  while (limitMs <= LONGEST_LIMIT_MS) {
    const before = tested;
    try {
      withinDeadline(limitMs, testRest);
      return false;
    } catch (error) {
      if (!(error instanceof DeadlineError)) return false;
      // On a slow machine, many texts may take so long together, although each takes little time.
      if (tested > before) continue;
      if (error.processorMs >= ENOUGH_MS) return true;
      // On a busy machine, nothing is known of a pattern that got little processor time.
      limitMs *= 2;
    }
  }
  return false;
}

function hostileTexts(pattern: AST.Pattern, flags: string): string[] {
  const literals = new Set<string>();
  const loops: AST.Quantifier[] = [];
  const samples = new Samples(literals, flags);
  forEachNode(pattern, (node) => {
    if (node.type === 'Character') literals.add(String.fromCodePoint(node.value));
    if (node.type === 'Quantifier' && node.max > 10) loops.push(node);
  });
  const texts: string[] = [];
  for (const loop of loops) {
    const start = samples.before(loop);
    for (const part of samples.repeated(loop.element)) {
      const middle = part.repeat(Math.ceil(TEXT_LENGTH / part.length));
      for (const end of ENDS) texts.push(start + middle + end);
    }
  }
  return texts.slice(0, MAXIMUM_TEXTS);
}

/** Texts that parts of a pattern match. */
class Samples {
  readonly #literals: ReadonlySet<string>;
  readonly #flags: string;

  constructor(literals: ReadonlySet<string>, flags: string) {
    this.#literals = literals;
    this.#flags = flags;
  }

  /** The text that leads to a part of a pattern. */
  before(node: AST.Node): string {
    const { parent } = node;
    if (parent === null) return '';
    if (parent.type !== 'Alternative') return this.before(parent);
    const index = parent.elements.indexOf(node as AST.Element);
    return (
      this.before(parent) +
      parent.elements
        .slice(0, index)
        .map((part) => this.of(part))
        .join('')
    );
  }

  /**
   * What a loop may repeat: each of its alternatives, and all characters that it has in common with
   * the rest.
   */
  repeated(node: AST.Element): string[] {
    const parts =
      'alternatives' in node
        ? node.alternatives.map(({ elements }) => elements.map((part) => this.of(part)).join(''))
        : [this.of(node), this.#accepted(node).join('')];
    return [...new Set(parts)].filter((part) => part !== '');
  }

  of(node: AST.Element): string {
    switch (node.type) {
      case 'Quantifier':
        return this.of(node.element).repeat(Math.min(node.min, 100));
      case 'Group':
      case 'CapturingGroup':
        return (node.alternatives[0]?.elements ?? []).map((part) => this.of(part)).join('');
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterSet':
      case 'CharacterClass':
        return this.#accepted(node)[0] ?? '';
      default:
        return '';
    }
  }

  #accepted(node: AST.Element): string[] {
    const single = new RegExp(`^(?:${node.raw})$`, this.#flags);
    const known = [...this.#literals, ...CHARACTERS, ...firstCharacters(node)];
    return [...new Set(known)].filter((text) => single.test(text)).slice(0, 8);
  }
}

/** Characters that a class names, for classes that contain none of the usual ones. */
function firstCharacters(node: AST.Element): string[] {
  const found: string[] = [];
  forEachNode(node, (part) => {
    if (part.type === 'CharacterClassRange') found.push(String.fromCodePoint(part.min.value));
  });
  return found;
}

function forEachNode(node: AST.Node, visit: (node: AST.Node) => void): void {
  visit(node);
  if ('alternatives' in node) for (const part of node.alternatives) forEachNode(part, visit);
  if ('elements' in node) for (const part of node.elements) forEachNode(part, visit);
  if (node.type === 'Quantifier') forEachNode(node.element, visit);
}
