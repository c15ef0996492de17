import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { toIdentifier, toPythonParameter } from '../../tools/names.ts';
import { lookUp, pointerKeys } from './json-schema.ts';
import { References } from './references.ts';

/** More named types than this do not help a reader. */
const MAXIMUM_DEFINITIONS = 200;
/** How many parts all the named types of one document have together. */
const MAXIMUM_PARTS = 600;

/** A schema with everything that its references can lead to. */
export interface SchemaDocument {
  readonly root: JsonObject;
  readonly references: References;
}

const documents = new WeakMap<JsonObject, SchemaDocument>();

/** The document of a tool's schema. */
export function documentOf(root: JsonObject): SchemaDocument {
  const document = documents.get(root) ?? { root, references: new References(root) };
  documents.set(root, document);
  return document;
}

/** How many parts may still be written. After that, the rest has the type of any value. */
export interface PartsBudget {
  parts: number;
}

/** Writes a type under its name. */
export type WriteDefinition = (
  name: string,
  target: JsonValue,
  document: SchemaDocument,
  definitions: Definitions,
) => string;

/** The types that get a name, for all tools. The same type of several tools is written once. */
export class Definitions {
  readonly #write: WriteDefinition;
  readonly #taken: Set<string>;
  readonly #names: Map<string, string> = new Map();
  readonly #budgets: Map<SchemaDocument, PartsBudget> = new Map();
  readonly #known: Map<SchemaDocument, Map<string, string>> = new Map();
  readonly #texts: string[] = [];
  readonly #pending: (() => string)[] = [];

  /** @param taken - Names that have another meaning. */
  constructor(taken: Iterable<string>, write: WriteDefinition) {
    this.#taken = new Set(taken);
    this.#write = write;
  }

  /**
   * The name of a reference's target; undefined if there are too many names, or if no value can
   * show what it is.
   */
  nameOf(reference: string, document: SchemaDocument): string | undefined {
    const known = this.#known.get(document) ?? new Map<string, string>();
    this.#known.set(document, known);
    const name = known.get(reference) ?? this.#newName(reference, document);
    if (name !== undefined) known.set(reference, name);
    return name;
  }

  /** The definitions of all names that were asked for, and of those inside them. */
  texts(): readonly string[] {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      this.#texts.push(next());
    }
    return this.#texts;
  }

  /** What the named types of a document share. */
  budgetOf(document: SchemaDocument): PartsBudget {
    const budget = this.#budgets.get(document) ?? { parts: MAXIMUM_PARTS };
    this.#budgets.set(document, budget);
    return budget;
  }

  #newName(reference: string, document: SchemaDocument): string | undefined {
    const key = document.references.fingerprint(reference);
    const same = this.#names.get(key);
    if (same !== undefined) return same;
    const isFull = this.#names.size >= MAXIMUM_DEFINITIONS || this.budgetOf(document).parts <= 0;
    if (isFull || document.references.isEmptyCircle(reference)) {
      return undefined;
    }
    const name = this.#unused(typeName(reference, document.root));
    this.#taken.add(name);
    this.#names.set(key, name);
    const target = lookUp(reference, document.root);
    this.#pending.push(() => this.#write(name, target, document, this));
    return name;
  }

  #unused(name: string): string {
    let candidate = name;
    // A name that a tool cannot have has a meaning in one of the languages.
    for (
      let count = 2;
      this.#taken.has(candidate) || toIdentifier(candidate) !== candidate;
      count++
    ) {
      candidate = `${name}${count}`;
    }
    return candidate;
  }
}

/** `#/$defs/order-line` becomes `OrderLine`. */
function typeName(reference: string, { title }: JsonObject): string {
  const last = pointerKeys(reference).at(-1) ?? (typeof title === 'string' ? title : 'Root');
  const words = toPythonParameter(last).split('_');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{XID_Start}/u.test(name) ? name : `Type${name}`;
}
