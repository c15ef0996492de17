import { isRecord } from '../../shared/guards.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import type { Arguments } from '../arguments.ts';
import type { Body } from '../document/body.ts';
import type { Style } from '../document/parameters.ts';
import { fieldStyleOf } from './field-style.ts';
import { toMultipart, type FormPart } from './multipart.ts';
import { encode, toPairs, toText } from './styles.ts';

const MAXIMUM_CHARACTERS = 8 * 2 ** 20;

/** A body as it is sent. */
export interface WrittenBody {
  readonly text: string;
  /** The content-type. */
  readonly mediaType: string;
}

/**
 * The body of a request; undefined if its arguments were not given.
 * @throws ToolCallFailure if it is too large, or cannot be written.
 */
export function bodyOfRequest(
  body: Body,
  from: Arguments['body'],
  input: Readonly<Record<string, unknown>>,
): WrittenBody | undefined {
  const value = valueOf(body, from, input);
  if (value === undefined) return undefined;
  const { encoding, mediaType } = body;
  if (encoding === 'json') return { text: bounded(JSON.stringify(value)), mediaType };
  if (encoding === 'text') return { text: bounded(textOf(value)), mediaType };
  // The schema of the arguments takes nothing but an object.
  const members = Object.entries(value as Readonly<Record<string, unknown>>);
  return encoding === 'form'
    ? { text: formOf(body, members), mediaType }
    : toMultipart(partsOf(body, members));
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
  for (const [name, member] of members) {
    const { value, ...written } = writtenAs(encodings, name, member);
    for (const [key, text] of toPairs({ name, ...written }, value)) {
      length += key.length + text.length + 2;
      if (length > MAXIMUM_CHARACTERS) throw tooLarge();
      pairs.push(`${key}=${text}`);
    }
  }
  return pairs.join('&');
}

/**
 * How a property is written. Without a style or a media type in the document, lists are written one
 * by one, and objects as JSON, also those in a list.
 */
function writtenAs(
  encodings: Body['encodings'],
  name: string,
  value: unknown,
): { readonly style: Style; readonly explode: boolean; readonly value: unknown } {
  const style = fieldStyleOf(encodings, name);
  if (style !== undefined) return { ...style, value };
  if (isRecord(value)) return { style: 'json', explode: true, value };
  const listed = Array.isArray(value)
    ? value.map((one: unknown) => (typeof one === 'object' && one !== null ? textOf(one) : one))
    : value;
  return { style: 'form', explode: true, value: listed };
}

function partsOf({ encodings }: Body, members: readonly [string, unknown][]): readonly FormPart[] {
  const parts: FormPart[] = [];
  let length = 0;
  for (const [name, member] of members) {
    const { value, ...written } = writtenAs(encodings, name, member);
    for (const text of textsOf(name, written, value)) {
      // Each element of a list has the name, which is as long as the document says.
      length += name.length + text.length;
      if (length > MAXIMUM_CHARACTERS) throw tooLarge();
      parts.push({ name, text, isJson: written.style === 'json' });
    }
  }
  return parts;
}

/** The texts of the parts for a property. As in a form, there is none for null. */
function textsOf(
  name: string,
  written: { readonly style: Style; readonly explode: boolean },
  value: unknown,
): readonly string[] {
  if (value === null) return [];
  if (written.style === 'json') return [JSON.stringify(value)];
  if (!Array.isArray(value)) return [textOf(value)];
  if (written.explode || value.length === 0) return value.map(textOf);
  // Only in a form are the values, and what is between them, encoded.
  return [decodeURIComponent(toText({ name, ...written }, value, encode))];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
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
