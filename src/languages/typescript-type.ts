/** A type's text, with the parts that it is joined of: where it goes decides over parentheses. */
export interface Type {
  readonly operator: '|' | '&';
  readonly parts: readonly string[];
}

export const ANY: Type = within('any');
export const NEVER: Type = within('never');

/** A type that needs no parentheses anywhere. */
export function within(text: string): Type {
  return { operator: '|', parts: [text] };
}

export function textOf({ operator, parts }: Type, place?: 'element'): string {
  const text = parts.join(` ${operator} `);
  return place === 'element' && parts.length > 1 ? `(${text})` : text;
}

/** One of the types: `any` takes the others in, and `null` comes last as people write it. */
export function union(types: readonly Type[]): Type {
  if (types.some(isAny)) return ANY;
  const distinct = new Map(types.map((type) => [textOf(type), type]));
  distinct.delete('never');
  const [only, ...others] = distinct.values();
  // As it is: one of `&` is no single word.
  if (only !== undefined && others.length === 0) return only;
  const parts = new Set(
    [...distinct.values()].flatMap((type) => (type.operator === '|' ? type.parts : [textOf(type)])),
  );
  if (parts.delete('null')) parts.add('null');
  return parts.size === 0 ? NEVER : { operator: '|', parts: [...parts] };
}

/** All of the types at once. */
export function intersection(types: readonly Type[]): Type {
  const known = types.filter((type) => !isAny(type));
  const [only] = known;
  if (only === undefined) return ANY;
  if (known.length === 1) return only;
  const parts = known.flatMap((type) =>
    type.operator === '&' ? type.parts : [textOf(type, 'element')],
  );
  return { operator: '&', parts: [...new Set(parts)] };
}

function isAny({ parts }: Type): boolean {
  return parts.length === 1 && parts[0] === 'any';
}
