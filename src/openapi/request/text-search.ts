/** From its first byte to the one after its last. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What a search finds. */
export interface Found {
  /** In order. What overlaps is one range. */
  readonly ranges: readonly Range[];
  /** Where the longest beginning of a text starts with which the bytes end; their end without one. */
  readonly beginning: number;
}

/** How many values a byte has. */
const BYTES = 256;

/**
 * Finds many texts at once, in a time that grows only with the length of what is searched, whatever
 * is in it: with the automaton of Aho and Corasick. A state of it is the longest beginning of a text
 * with which the bytes so far end; state 0 is none.
 */
export class TextSearch {
  /** The next states, by the state and the byte. */
  readonly #next = new Map<number, number>();
  /** For each state, that of the longest beginning which is a proper end of its own. */
  readonly #shorter: number[] = [0];
  /** The length of each state's beginning. */
  readonly #depth: number[] = [0];
  /** The length of the longest text with which each state's beginning ends; 0 for none. */
  readonly #longest: number[] = [0];

  /** @param texts - In bytes. Empty ones are not found. */
  constructor(texts: readonly Uint8Array[]) {
    for (const text of texts) this.#add(text);
    // States of shorter beginnings come first: the longer ones need what is found out about them.
    const edges = [...this.#next].map(([edge, state]) => ({
      edge,
      state,
      depth: this.#depthOf(state),
    }));
    for (const { edge, state } of edges.sort((one, other) => one.depth - other.depth)) {
      const from = Math.floor(edge / BYTES);
      const shorter = from === 0 ? 0 : this.#step(this.#shorter[from] ?? 0, edge % BYTES);
      this.#shorter[state] = shorter;
      this.#longest[state] ||= this.#longest[shorter] ?? 0;
    }
  }

  find(bytes: Uint8Array): Found {
    const ranges: Range[] = [];
    let state = 0;
    for (let at = 0; at < bytes.length; at++) {
      state = this.#step(state, bytes[at] ?? 0);
      const length = this.#longest[state] ?? 0;
      if (length > 0) addRange(ranges, { start: at + 1 - length, end: at + 1 });
    }
    return { ranges, beginning: bytes.length - this.#depthOf(state) };
  }

  #add(text: Uint8Array): void {
    let state = 0;
    for (const byte of text) {
      const edge = state * BYTES + byte;
      let next = this.#next.get(edge);
      if (next === undefined) {
        next = this.#depth.length;
        this.#next.set(edge, next);
        this.#depth.push(this.#depthOf(state) + 1);
        this.#longest.push(0);
        this.#shorter.push(0);
      }
      state = next;
    }
    this.#longest[state] = text.length;
  }

  #step(from: number, byte: number): number {
    for (let state = from; ; state = this.#shorter[state] ?? 0) {
      const next = this.#next.get(state * BYTES + byte);
      if (next !== undefined) return next;
      if (state === 0) return 0;
    }
  }

  #depthOf(state: number): number {
    return this.#depth[state] ?? 0;
  }
}

/** Adds a range whose end is not before those of the others, to those that it overlaps. */
export function addRange(ranges: Range[], { start, end }: Range): void {
  let first = start;
  for (let last = ranges.at(-1); last !== undefined && last.end > start; last = ranges.at(-1)) {
    first = Math.min(first, last.start);
    ranges.pop();
  }
  ranges.push({ start: first, end });
}
