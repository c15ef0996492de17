import { beginningOf } from '../shared/beginning-of.ts';

/** How much of one result is kept, in characters. */
const LONGEST_TEXT = 65_536;
/** How much is kept of all results of a program together, in characters. */
const MOST_CHARACTERS = 262_144;
/** How many results of a program are kept. */
const MOST_RESULTS = 1000;
/** Of how many tools results are kept: the first that a program called. */
const MOST_TOOLS = 50;

/** The results that a program got from one tool. */
export interface ResultsOfTool {
  /** How many there were. */
  readonly count: number;
  /** The last ones, each as JSON text, or the beginning of one. */
  readonly texts: readonly string[];
}

interface Kept {
  count: number;
  characters: number;
  readonly texts: string[];
}

/**
 * The last results that a program got, in case it fails because of their shapes. Shapes are read
 * only then, so that calls need not pay for it.
 */
export class KeptResults {
  readonly #tools: Map<string, Kept> = new Map();
  #characters = 0;
  #results = 0;

  /** @param text - The result as JSON. */
  add(toolName: string, text: string): void {
    const known = this.#tools.get(toolName);
    if (known === undefined && this.#tools.size >= MOST_TOOLS) return;
    const kept = known ?? { count: 0, characters: 0, texts: [] };
    this.#tools.set(toolName, kept);
    kept.count += 1;
    const part = beginningOf(text, LONGEST_TEXT);
    kept.texts.push(part);
    this.#count(kept, part.length, 1);
    while (this.#characters > MOST_CHARACTERS || this.#results > MOST_RESULTS) this.#drop();
  }

  /** The results by the name of their tool, in the order in which the tools were first called. */
  get byTool(): ReadonlyMap<string, ResultsOfTool> {
    return this.#tools;
  }

  /**
   * Drops the older half of the results of the tool of which most is kept, so that those of others
   * stay. One at a time would cost more than all else here.
   */
  #drop(): void {
    const [first, ...others] = this.#tools.values();
    if (first === undefined) return;
    const isMany = this.#results > MOST_RESULTS;
    const size = (kept: Kept): number => (isMany ? kept.texts.length : kept.characters);
    const largest = others.reduce((most, kept) => (size(kept) > size(most) ? kept : most), first);
    const dropped = largest.texts.splice(0, Math.ceil(largest.texts.length / 2));
    const characters = dropped.reduce((sum, { length }) => sum + length, 0);
    this.#count(largest, -characters, -dropped.length);
  }

  #count(kept: Kept, characters: number, results: number): void {
    kept.characters += characters;
    this.#characters += characters;
    this.#results += results;
  }
}
