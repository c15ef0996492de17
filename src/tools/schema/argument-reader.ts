import type { Path } from './problems.ts';

/** Where and why arguments are refused before a schema checks them. */
export interface Refusal {
  readonly path: Path;
  readonly text: string;
}

/** Walks through arguments, to measure them and to refuse what no schema may see. */
export class ArgumentReader {
  /** The number of objects, arrays and values in them. */
  values = 0;
  /** The number of characters of all keys and texts. */
  characters = 0;
  readonly #maximumValues: number;
  readonly #maximumCharacters: number;
  readonly #refuseText: ((text: string) => string | undefined) | undefined;

  constructor(
    maximumValues: number,
    maximumCharacters: number,
    refuseText: ((text: string) => string | undefined) | undefined,
  ) {
    this.#maximumValues = maximumValues;
    this.#maximumCharacters = maximumCharacters;
    this.#refuseText = refuseText;
  }

  /** Whether a maximum was exceeded. The rest was not read then. */
  get isTooLarge(): boolean {
    return this.values > this.#maximumValues || this.characters > this.#maximumCharacters;
  }

  /** Why a value is refused; undefined if it is not. */
  read(value: unknown): Refusal | undefined {
    this.values++;
    if (typeof value === 'string') {
      this.characters += value.length;
      return this.isTooLarge ? undefined : refused(this.#refuseText?.(value));
    }
    if (typeof value === 'number') {
      return Number.isFinite(value) ? undefined : refused(`${value} is not a JSON number`);
    }
    if (typeof value !== 'object' || value === null) return undefined;
    return Array.isArray(value) ? this.#readArray(value) : this.#readObject(value);
  }

  #readArray(array: readonly unknown[]): Refusal | undefined {
    for (let index = 0; index < array.length && !this.isTooLarge; index++) {
      const refusal = this.read(array[index]);
      if (refusal) return { ...refusal, path: [index, ...refusal.path] };
    }
    return undefined;
  }

  #readObject(object: object): Refusal | undefined {
    const record = object as Record<string, unknown>;
    for (const key of Object.keys(record)) {
      this.characters += key.length;
      if (this.isTooLarge) return undefined;
      const refusal = this.read(record[key]);
      if (refusal) return { ...refusal, path: [key, ...refusal.path] };
    }
    return undefined;
  }
}

function refused(text: string | undefined): Refusal | undefined {
  return text === undefined ? undefined : { path: [], text };
}
