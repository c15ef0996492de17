import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { isRecord } from '../../shared/guards.ts';
import { flatten } from '../schema/json-schema.ts';
import type { Tool } from '../../tools/tool.ts';
import { cachedByTool } from '../cached-by-tools.ts';
import { beginningsOf, conceptsOf, stemsOf } from './words.ts';

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

const SHORTEST_PREFIX = 3;
const MOST_PREFIXED = 16;
/** How much a word counts that only begins as that of the query does, beside that word itself. */
const RELATED_SHARE = 0.8;

/** A tool whose name has no word of the query counts as if the query had this share of its name. */
const LEAST_NAMED = 0.1;
/** For how many tools the name is compared as a whole. */
const RERANKED = 100;

/** The tools that have a term, by their places. */
interface Postings {
  readonly places: number[];
  /** How much the term counts in the text of each tool. */
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
    const matches = new Matches(this.#tools.length);
    const terms = new Set<string>();
    for (const word of new Set(stemsOf(query, QUERY_WORDS))) {
      const match = (term: string, share: number): void => {
        terms.add(term);
        this.#match(term, share, matches);
      };
      for (const term of termsOf(word)) match(term, 1);
      for (const term of this.#related(word)) match(term, RELATED_SHARE);
      matches.endWord();
    }
    const found: { tool: Tool; score: number }[] = [];
    for (const { place, score } of matches.bestFirst()) {
      if (found.length === RERANKED) break;
      const tool = this.#tools[place] as Tool;
      if (isWanted(tool)) found.push({ tool, score: score * this.#named(tool, terms) });
    }
    // Stable: of tools with the same score, the first one comes first.
    return found
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  #match(term: string, share: number, matches: Matches): void {
    const postings = this.#postings.get(term);
    if (postings === undefined) return;
    const { places, weights } = postings;
    const most = share * this.#rarity(term) * (SATURATION + 1);
    for (let index = 0; index < places.length; index++) {
      const place = places[index] ?? 0;
      const weight = weights[index] ?? 0;
      matches.add(place, (most * weight) / (weight + (this.#norms[place] ?? SATURATION)));
    }
  }

  #rarity(term: string): number {
    const tools = this.#postings.get(term)?.places.length ?? 0;
    return Math.log(1 + (this.#tools.length - tools + 0.5) / (tools + 0.5));
  }

  /** More if the terms of the query are more of the name of a tool. */
  #named(tool: Tool, terms: ReadonlySet<string>): number {
    let all = 0;
    let shared = 0;
    for (const [stem, ...others] of readTool(tool).name) {
      const rarity = this.#rarity(stem);
      all += rarity;
      if (terms.has(stem) || others.some((other) => terms.has(other))) shared += rarity;
    }
    return Math.sqrt(LEAST_NAMED + (1 - LEAST_NAMED) * (shared / (all || 1)));
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
  const { terms, length } = readTool(tool);
  for (const [term, weight] of terms) {
    const own = postings.get(term) ?? { places: [], weights: [] };
    own.places.push(place);
    own.weights.push(weight);
    postings.set(term, own);
  }
  return length;
}

/**
 * How well each tool matches a query. A word of the query counts once for each tool, by its best match:
 * otherwise words with many synonyms would count more than others.
 */
class Matches {
  /** The best match of the current word. */
  readonly #best: Float64Array;
  #touched: number[] = [];
  /** Of all words before it. */
  readonly #sums: Float64Array;

  constructor(tools: number) {
    this.#best = new Float64Array(tools);
    this.#sums = new Float64Array(tools);
  }

  add(place: number, score: number): void {
    const best = this.#best[place] ?? 0;
    if (best === 0) this.#touched.push(place);
    if (score > best) this.#best[place] = score;
  }

  endWord(): void {
    for (const place of this.#touched) {
      this.#sums[place] = (this.#sums[place] ?? 0) + (this.#best[place] ?? 0);
      this.#best[place] = 0;
    }
    this.#touched = [];
  }

  /** The tools that match. Of those that match equally well, the first one comes first. */
  bestFirst(): { readonly place: number; readonly score: number }[] {
    const found: { place: number; score: number }[] = [];
    for (const [place, score] of this.#sums.entries()) if (score > 0) found.push({ place, score });
    return found.sort((a, b) => b.score - a.score);
  }
}

/** What the index knows of a tool. */
interface ToolText {
  /** How much each term counts. */
  readonly terms: ReadonlyMap<string, number>;
  readonly length: number;
  /** The words of its name, each with what it means. */
  readonly name: readonly (readonly [string, ...string[]])[];
}

/** Kept, because one tool of many may change. */
const readTool = cachedByTool((tool): ToolText => {
  const terms = new Map<string, number>();
  let length = 0;
  const add = (stems: readonly string[], weight: number): void => {
    length += stems.length * weight;
    for (const term of stems.flatMap(termsOf)) terms.set(term, (terms.get(term) ?? 0) + weight);
  };
  const name = stemsOf(tool.name, NAME_WORDS);
  const description = tool.description.slice(0, 20 * DESCRIPTION_WORDS);
  add(name, WEIGHTS.name);
  add(stemsOf(description, DESCRIPTION_WORDS), WEIGHTS.description);
  add(stemsOf(argumentNames(tool).join(' '), ARGUMENT_WORDS), WEIGHTS.argument);
  return { terms, length, name: name.map(termsOf) };
});

function termsOf(stem: string): [string, ...string[]] {
  return [stem, ...conceptsOf(stem), ...beginningsOf(stem)];
}

function argumentNames({ inputSchema }: Tool): string[] {
  const { schema } = flatten(inputSchema, inputSchema);
  if (typeof schema === 'boolean') return [];
  return isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
}
