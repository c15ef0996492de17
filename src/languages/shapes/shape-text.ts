import type { LanguageName } from '../../protocol/messages.ts';
import type { ResultShape } from '../../tools/shapes/read-shape.ts';
import {
  isOptional,
  MAXIMUM_DEPTH,
  SCALAR,
  type ListShape,
  type ObjectShape,
  type Shape,
} from '../../tools/shapes/shape.ts';

/** What a language calls the types of JSON. */
interface TypeWords {
  readonly null: string;
  readonly boolean: string;
  readonly integer: string;
  readonly number: string;
  readonly string: string;
  readonly any: string;
  readonly list: string;
  readonly object: string;
  readonly aList: string;
  readonly anEmptyList: string;
}

const PYTHON: TypeWords = {
  null: 'None',
  boolean: 'bool',
  integer: 'int',
  number: 'float',
  string: 'str',
  any: 'Any',
  list: 'list',
  object: 'dict',
  aList: 'a list',
  anEmptyList: 'an empty list',
};

const TYPESCRIPT: TypeWords = {
  null: 'null',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  string: 'string',
  any: 'any',
  list: 'array',
  object: 'object',
  aList: 'an array',
  anEmptyList: 'an empty array',
};

/**
 * A shape in the words of a language, such as `a list of 40 of {id: int, note?: str}`. A `?` follows
 * the name of a field that some objects lack.
 * @param maxLength - The deepest parts are left out until the text is not longer.
 */
export function shapeText(
  { shape }: ResultShape,
  language: LanguageName,
  maxLength: number,
): string {
  const words = language === 'python' || language === 'bash' ? PYTHON : TYPESCRIPT;
  let text = '';
  for (let levels = MAXIMUM_DEPTH; levels > 0; levels -= 1) {
    text = rootText(shape, { words, levels });
    if (text.length <= maxLength) return text;
  }
  return `${text.slice(0, maxLength)}…`;
}

interface Scope {
  readonly words: TypeWords;
  /** How many levels of lists and objects are written with their parts. */
  readonly levels: number;
}

function rootText(shape: Shape, scope: Scope): string {
  const { list, object, scalars, isUnknown } = shape;
  const isOnlyList = list !== undefined && object === undefined && scalars === 0 && !isUnknown;
  if (!isOnlyList) return unionText(shape, scope);
  const { aList, anEmptyList } = scope.words;
  return isEmpty(list) ? anEmptyList : `${aList} ${listParts(list, scope)}`;
}

function unionText(shape: Shape, scope: Scope): string {
  const parts = partsOf(shape, scope);
  return parts.length === 0 ? scope.words.any : parts.join(' | ');
}

/** The members of the union of types that a shape stands for. */
function partsOf({ scalars, isUnknown, list, object }: Shape, scope: Scope): string[] {
  const { words } = scope;
  if (isUnknown) return [words.any];
  const has = (bit: number): boolean => (scalars & bit) !== 0;
  const parts = new Set<string>();
  if (object !== undefined) parts.add(objectText(object, scope));
  if (list !== undefined) parts.add(listText(list, scope));
  if (has(SCALAR.string)) parts.add(words.string);
  if (has(SCALAR.number)) parts.add(words.number);
  else if (has(SCALAR.integer)) parts.add(words.integer);
  if (has(SCALAR.boolean)) parts.add(words.boolean);
  if (has(SCALAR.null)) parts.add(words.null);
  return [...parts];
}

function listText(list: ListShape, scope: Scope): string {
  const { words } = scope;
  return isEmpty(list) ? `empty ${words.list}` : `${words.list} ${listParts(list, scope)}`;
}

function isEmpty({ longest, isCut }: ListShape): boolean {
  return longest === 0 && !isCut;
}

/** Such as `of 3 to 40 of str`. */
function listParts(list: ListShape, scope: Scope): string {
  const { shortest, longest, isCut } = list;
  const length = shortest === longest ? String(longest) : `${shortest} to ${longest}`;
  const lengths = `of ${length}${isCut ? ' or more' : ''}`;
  if (scope.levels <= 1) return lengths;
  const parts = partsOf(list.items, { ...scope, levels: scope.levels - 1 });
  if (parts.length === 0) return lengths;
  return `${lengths} of ${parts.length > 1 ? `(${parts.join(' | ')})` : parts.join('')}`;
}

function objectText({ seen, fields, others }: Readonly<ObjectShape>, scope: Scope): string {
  if (scope.levels < 1) return scope.words.object;
  const inner = { ...scope, levels: scope.levels - 1 };
  const members = [...fields].map(([name, field]) => {
    const mark = isOptional({ seen }, field) ? '?' : '';
    return `${fieldName(name)}${mark}: ${unionText(field, inner)}`;
  });
  if (others !== undefined) {
    members.push(`[key: ${scope.words.string}]: ${unionText(others, inner)}`);
  }
  return `{${members.join(', ')}}`;
}

function fieldName(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : JSON.stringify(name);
}
