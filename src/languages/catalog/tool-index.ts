import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { isRecord } from '../../shared/guards.ts';
import { flatten } from '../schema/json-schema.ts';
import type { Tool } from '../../tools/tool.ts';
import { cachedByTool } from '../cached-by-tools.ts';
import { conceptsOf, stemsOf } from './words.ts';

/** How much a word counts by its place. A name says best what a tool does. */
const WEIGHTS = { name: 2, description: 1, argument: 0.5 } as const;
/** Later words of a description are about details. */
const DESCRIPTION_WORDS = 100;
const NAME_WORDS = 40;
const ARGUMENT_WORDS = 60;
const QUERY_WORDS = 32;

/** The parameters of BM25: how soon repeated words count less, and how much long texts lose. */
const SATURATION = 2;
const LENGTH_SHARE = 0.75;
/** How much it matters that a tool has many of the words of the query. */
const COVERAGE = 2;

/** How much words count that mean nearly the same as one of the query. */
const CONCEPT_WEIGHT = 0.7;

/** A word that begins with another one, such as `repository` with `repo`, counts this much. */
const PREFIX_WEIGHT = 0.5;
const SHORTEST_PREFIX = 3;
const MOST_PREFIXED = 16;

/** The tools that have a term, and how much it counts there. */
interface Postings {
  readonly places: number[];
  readonly weights: number[];
}

/** Ranks tools by how well they match a query, with BM25 over weighted fields. */
export class ToolIndex {
  readonly #tools: readonly Tool[];
  readonly #postings: ReadonlyMap<string, Postings>;
  /** In order, to find those with a prefix. */
  readonly #terms: readonly string[];
  /** What the length of each tool's text makes of the weight of its terms. */
  readonly #norms: Float64Array;

  private constructor(
    tools: readonly Tool[],
    postings: ReadonlyMap<string, Postings>,
    lengths: readonly number[],
  ) {
    this.#tools = tools;
    this.#postings = postings;
    const average = lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1);
    this.#norms = Float64Array.from(
      lengths,
      (length) => SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / (average || 1)),
    );
    this.#terms = [...postings.keys()].sort();
  }

  /** Makes the index of tools. That of thousands takes long, so other work goes on meanwhile. */
  static async of(tools: readonly Tool[]): Promise<ToolIndex> {
    const postings = new Map<string, Postings>();
    const lengths: number[] = [];
    const pauses = new LoopPauses();
    for (const [place, tool] of tools.entries()) {
      const pause = pauses.next();
      if (pause !== undefined) await pause;
      lengths.push(addTo(postings, tool, place));
    }
    return new ToolIndex(tools, postings, lengths);
  }

  /**
   * The tools that match a query, the best first.
   * @param query - Words of any language.
   * @param isWanted - Which tools may be found.
   */
  search(query: string, limit: number, isWanted: (tool: Tool) => boolean): Tool[] {
    const words = new Set(stemsOf(query, QUERY_WORDS));
    const scores = new Scores(this.#tools.length);
    for (const word of words) {
      scores.beginWord();
      this.#score(word, 1, scores);
      for (const concept of conceptsOf(word)) this.#score(concept, CONCEPT_WEIGHT, scores);
      for (const other of this.#related(word)) this.#score(other, PREFIX_WEIGHT, scores);
    }
    const found = this.#tools.flatMap((tool, place) => {
      const score = scores.of(place);
      return score > 0 && isWanted(tool) ? [{ tool, score }] : [];
    });
    // Stable: of tools with the same score, the first one comes first.
    return found
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  #score(term: string, queryWeight: number, scores: Scores): void {
    const postings = this.#postings.get(term);
    if (postings === undefined) return;
    const { places, weights } = postings;
    const others = this.#tools.length - places.length;
    const rarity = Math.log(1 + (others + 0.5) / (places.length + 0.5));
    for (const [index, place] of places.entries()) {
      const weight = weights[index] ?? 0;
      const norm = this.#norms[place] ?? SATURATION;
      const share = (weight * (SATURATION + 1)) / (weight + norm);
      scores.add(place, queryWeight * rarity * share);
    }
  }

  /** The terms that begin with this one, and those with which it begins. */
  #related(term: string): string[] {
    const related: string[] = [];
    for (let end = SHORTEST_PREFIX; end < term.length; end++) {
      const prefix = term.slice(0, end);
      if (this.#postings.has(prefix)) related.push(prefix);
    }
    if (term.length < SHORTEST_PREFIX) return related;
    let place = this.#firstFrom(term);
    for (let count = 0; count < MOST_PREFIXED; place++, count++) {
      const other = this.#terms[place];
      if (other?.startsWith(term) !== true) break;
      if (other !== term) related.push(other);
    }
    return related;
  }

  /** The place of the first term that is not before this one. */
  #firstFrom(term: string): number {
    let low = 0;
    let high = this.#terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#terms[middle] ?? '') < term) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Adds a tool, and returns the length of its text. */
function addTo(postings: Map<string, Postings>, tool: Tool, place: number): number {
  let length = 0;
  for (const [term, weight] of weightsOf(tool)) {
    length += weight;
    const own = postings.get(term) ?? { places: [], weights: [] };
    own.places.push(place);
    own.weights.push(weight);
    postings.set(term, own);
  }
  return length;
}

/** How well each tool matches a query: by the sum of its words, and by how many of them it has. */
class Scores {
  readonly #sums: Float64Array;
  readonly #counts: Uint8Array;
  /** The last word that each tool has. */
  readonly #last: Uint8Array;
  #word = 0;

  constructor(tools: number) {
    this.#sums = new Float64Array(tools);
    this.#counts = new Uint8Array(tools);
    this.#last = new Uint8Array(tools);
  }

  beginWord(): void {
    this.#word += 1;
  }

  add(place: number, score: number): void {
    this.#sums[place] = (this.#sums[place] ?? 0) + score;
    if (this.#last[place] === this.#word) return;
    this.#last[place] = this.#word;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  of(place: number): number {
    return (this.#sums[place] ?? 0) * (this.#counts[place] ?? 0) ** COVERAGE;
  }
}

/** Kept, because one tool of many may change. */
const weightsOf = cachedByTool((tool): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  const add = (text: string, limit: number, place: keyof typeof WEIGHTS): void => {
    for (const stem of stemsOf(text, limit)) {
      for (const term of [stem, ...conceptsOf(stem)]) {
        weights.set(term, (weights.get(term) ?? 0) + WEIGHTS[place]);
      }
    }
  };
  add(tool.name, NAME_WORDS, 'name');
  add(tool.description.slice(0, 20 * DESCRIPTION_WORDS), DESCRIPTION_WORDS, 'description');
  add(argumentNames(tool).join(' '), ARGUMENT_WORDS, 'argument');
  return weights;
});

function argumentNames({ inputSchema }: Tool): string[] {
  const { schema } = flatten(inputSchema, inputSchema);
  if (typeof schema === 'boolean') return [];
  return isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
}
