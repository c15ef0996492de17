import { isRecord } from '../../shared/guards.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import type { Arguments } from '../arguments.ts';
import type { Body } from '../document/body.ts';
import type { Style } from '../document/parameters.ts';
import { encode, toPairs, toText } from './styles.ts';

const MAXIMUM_CHARACTERS = 8 * 2 ** 20;

/**
 * The body of a request; undefined if its arguments were not given.
 * @throws ToolCallFailure if it is too large, or cannot be written.
 */
export function bodyOfRequest(
  body: Body,
  from: Arguments['body'],
  input: Readonly<Record<string, unknown>>,
): string | FormData | undefined {
  const value = valueOf(body, from, input);
  if (value === undefined) return undefined;
  const { encoding } = body;
  if (encoding === 'json') return bounded(JSON.stringify(value));
  if (encoding === 'text')
    return bounded(typeof value === 'string' ? value : JSON.stringify(value));
  const members = isRecord(value) ? Object.entries(value) : [];
  return encoding === 'form' ? formOf(body, members) : multipartOf(body, members);
}

function valueOf(
  { isRequired }: Body,
  from: Arguments['body'],
  input: Readonly<Record<string, unknown>>,
): unknown {
  if (typeof from === 'string') return Object.hasOwn(input, from) ? input[from] : undefined;
  const given = (from ?? []).filter(([argument]) => Object.hasOwn(input, argument));
  if (given.length === 0 && !isRequired) return undefined;
  return Object.fromEntries(given.map(([argument, property]) => [property, input[argument]]));
}

function formOf({ encodings }: Body, members: readonly [string, unknown][]): string {
  const pairs: string[] = [];
  let length = 0;
  for (const [name, value] of members) {
    for (const [key, text] of toPairs({ name, ...styleOf(encodings, name, value) }, value)) {
      length += key.length + text.length + 2;
      if (length > MAXIMUM_CHARACTERS) throw tooLarge();
      pairs.push(`${key}=${text}`);
    }
  }
  return pairs.join('&');
}

const STYLES: ReadonlySet<unknown> = new Set<Style>([
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
]);

/** Without a style in the document, lists are written one by one, and objects as JSON. */
function styleOf(
  encodings: Body['encodings'],
  name: string,
  value: unknown,
): { readonly style: Style; readonly explode: boolean } {
  const encoding = Object.hasOwn(encodings, name) ? encodings[name] : undefined;
  const { style, explode } = isRecord(encoding) ? encoding : {};
  if (!STYLES.has(style)) return { style: isRecord(value) ? 'json' : 'form', explode: true };
  return {
    style: style as Style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
  };
}

function multipartOf({ encodings }: Body, members: readonly [string, unknown][]): FormData {
  const form = new FormData();
  let length = 0;
  for (const [name, value] of members) {
    const written = styleOf(encodings, name, value);
    const isOne = Array.isArray(value) && value.length > 0 && !written.explode;
    // Only in a form are the values, and what is between them, encoded.
    const parts = isOne ? [decodeURIComponent(toText({ name, ...written }, value, encode))] : value;
    for (const one of [parts].flat()) {
      const text = typeof one === 'string' ? one : JSON.stringify(one);
      // Each element of a list has the name, which is as long as the document says.
      length += name.length + text.length;
      if (length > MAXIMUM_CHARACTERS) throw tooLarge();
      form.append(name, text);
    }
  }
  return form;
}

function bounded(text: string): string {
  if (text.length > MAXIMUM_CHARACTERS) throw tooLarge();
  return text;
}

function tooLarge(): ToolCallFailure {
  return new ToolCallFailure(
    'Failed',
    `the body of the request has more than ${MAXIMUM_CHARACTERS} characters; pass less`,
  );
}
