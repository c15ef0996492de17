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

/** A name, with a number if it is taken. */
export function unusedName(name: string, taken: ReadonlySet<string>): string {
  let candidate = name;
  for (let count = 2; taken.has(candidate); count++) candidate = `${name}_${count}`;
  return candidate;
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
