import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import { isRecord } from '../../shared/guards.ts';
import type { Parameter } from '../document/parameters.ts';

/** A name and a value, both encoded for a query. */
export type Pair = readonly [name: string, value: string];

type Styled = Pick<Parameter, 'name' | 'style' | 'explode'>;

/** What stands between the elements of a list. */
const SEPARATORS: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
};

/**
 * The pairs of a query, or of a body that is written like one, for a value. One at a time: with the
 * names that a program chooses, all of them can be far larger than the value.
 * @throws ToolCallFailure if its style cannot write the value.
 */
export function* toPairs(parameter: Styled, value: unknown): Generator<Pair> {
  const { name, style, explode } = parameter;
  const members = membersOf(value);
  if (value === undefined || value === null) return;
  if (style === 'json') yield [encode(name), encode(JSON.stringify(value))];
  else if (style === 'deepObject') yield* deepPairs(name, value);
  else if (members === undefined) yield [encode(name), encode(textOf(name, value))];
  else if (explode) {
    for (const [key = name, member] of members) yield [encode(key), encode(textOf(name, member))];
  } else if (members.length > 0) yield [encode(name), joined(parameter, value, encode)];
}

/**
 * The text of a value in a path, a header or a cookie.
 * @param write - Encodes each part of it.
 * @throws ToolCallFailure if its style cannot write the value.
 */
export function toText(parameter: Styled, value: unknown, write: (text: string) => string): string {
  const { name, style } = parameter;
  if (style === 'json') return write(JSON.stringify(value));
  return membersOf(value) === undefined
    ? write(textOf(name, value))
    : joined(parameter, value, write);
}

function joined(
  { name, style, explode }: Styled,
  value: unknown,
  write: (text: string) => string,
): string {
  const separator = SEPARATORS[style] ?? ',';
  const parts = (membersOf(value) ?? []).flatMap(([key, member]) => {
    const text = write(textOf(name, member));
    if (key === undefined) return [text];
    return explode ? [`${write(key)}=${text}`] : [write(key), text];
  });
  return parts.join(separator);
}

/** The elements of a list, or the members of an object with their keys; undefined for other values. */
function membersOf(
  value: unknown,
): readonly (readonly [string | undefined, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((element) => [undefined, element] as const);
  return isRecord(value) ? Object.entries(value) : undefined;
}

function* deepPairs(name: string, value: unknown): Generator<Pair> {
  if (value === null) return;
  if (typeof value !== 'object') yield [encode(name), encode(textOf(name, value))];
  else
    for (const [key, member] of Object.entries(value)) yield* deepPairs(`${name}[${key}]`, member);
}

function textOf(name: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  throw new ToolCallFailure(
    'Failed',
    `${JSON.stringify(name)} has an object or a list inside it, which this parameter cannot have; pass text, numbers or booleans`,
  );
}

/** Half a surrogate pair cannot be encoded. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
