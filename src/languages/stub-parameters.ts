/** A parameter of a tool's function, as `ToolStub.parameters` describes it. */
export interface StubParameter {
  /** The property's name in the input schema. */
  readonly name: string;
  /** The parameter's name in the guest. */
  readonly identifier: string;
  readonly isRequired: boolean;
  /** Whether a dict may be its value. */
  readonly acceptsObject: boolean;
  /** The JSON types that it accepts, if the guest needs them. */
  readonly types?: readonly string[];
}

/** Names that are all different. */
export class UniqueNames {
  readonly #taken: Set<string>;
  /** The first number that may be free, by name: a server can send many names that become the same. */
  readonly #next: Map<string, number> = new Map();

  /** @param taken - Names that have another meaning. */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The name, with a number if it is taken. From now on, the result is taken. */
  add(name: string): string {
    let unique = name;
    let number = this.#next.get(name) ?? 2;
    while (this.#taken.has(unique)) unique = `${name}_${number++}`;
    this.#next.set(name, number);
    this.#taken.add(unique);
    return unique;
  }
}

/** The text of `ToolStub.parameters`. `runner/python/shared/parameters.py` reads it. */
export function parametersText(parameters: readonly StubParameter[]): string {
  return parameters.map(textOf).join(' ');
}

function textOf({ name, identifier, isRequired, acceptsObject, types }: StubParameter): string {
  const renamed = identifier === name ? '' : `=${escaped(identifier)}`;
  const typed = types === undefined ? '' : `:${types.join(',')}`;
  return `${isRequired ? '!' : '?'}${acceptsObject ? '{' : ''}${escaped(name)}${renamed}${typed}`;
}

function escaped(name: string): string {
  return name.replaceAll(
    /[^A-Za-z0-9_-]/gu,
    (character) => `%${character.codePointAt(0)?.toString(16)};`,
  );
}
