/**
 * The text of a type, and the parts that it was joined from, which decide whether it needs
 * parentheses.
 */
export interface Type {
  readonly operator: '|' | '&';
  readonly parts: readonly string[];
}

export const ANY: Type = atomicType('any');
export const NEVER: Type = atomicType('never');

/** A type that never needs parentheses. */
export function atomicType(text: string): Type {
  return { operator: '|', parts: [text] };
}

export function textOf({ operator, parts }: Type, place?: 'element'): string {
  const text = parts.join(` ${operator} `);
  return place === 'element' && parts.length > 1 ? `(${text})` : text;
}

/** The union of types: `any` absorbs the others, and `null` comes last, as people write it. */
export function union(types: readonly Type[]): Type {
  if (types.some(isAny)) return ANY;
  const distinct = new Map(types.map((type) => [textOf(type), type]));
  distinct.delete('never');
  const [only, ...others] = distinct.values();
  // Kept, because an intersection is not a single word.
  if (only !== undefined && others.length === 0) return only;
  const parts = new Set(
    [...distinct.values()].flatMap((type) => (type.operator === '|' ? type.parts : [textOf(type)])),
  );
  if (parts.delete('null')) parts.add('null');
  return parts.size === 0 ? NEVER : { operator: '|', parts: [...parts] };
}

/** The intersection of types. */
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
