import { isRecord } from '../../shared/guards.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import type { Arguments } from '../arguments.ts';
import type { Parameter } from '../document/parameters.ts';
import { isHeaderText } from '../document/security.ts';
import { bodyOfRequest } from './body.ts';
import type { Credentials } from './credentials.ts';
import type { ServiceAuth } from '../service-auth.ts';
import { encode, toPairs, toText, type Pair } from './styles.ts';
import type { Body } from '../document/body.ts';

/** Servers refuse longer ones. In characters. */
const MAXIMUM_ADDRESS = 16_384;
const MAXIMUM_HEADER = 8192;

/** What a call sends. */
export interface OpenApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** What a request is made of, besides the arguments of a call. */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly baseUrl: URL;
  readonly arguments: Arguments;
  readonly body: Body | undefined;
  /** Knows what no argument can set. */
  readonly auth: Pick<ServiceAuth, 'isCredential'>;
}

/**
 * Makes the request of a call.
 * @param input - The arguments, which match the input schema.
 * @throws ToolCallFailure for arguments that cannot be sent.
 */
export function buildRequest(
  template: RequestTemplate,
  input: Readonly<Record<string, unknown>>,
  credentials: Credentials,
): OpenApiRequest {
  const { method, body, auth } = template;
  const headers = new Headers({ accept: 'application/json, text/*;q=0.9, */*;q=0.1' });
  const values = template.arguments.parameters
    .filter(([argument]) => Object.hasOwn(input, argument))
    .map(([argument, one]) => [one, withoutCredentials(one, input[argument], auth)] as const);
  const url = urlOf(template, values, credentials);
  for (const [parameter, value] of values) {
    // As in the other places, null is not sent.
    if (parameter.place === 'header' && value !== null)
      headers.set(parameter.name, headerText(parameter, value));
  }
  // Last, so that no argument replaces them.
  for (const [name, value] of credentials.headers) headers.set(name, value);
  const cookies = cookiesOf(values, credentials, headers.get('cookie') ?? '');
  if (cookies.length > 0) headers.set('cookie', cookies);
  const sent = body && bodyOfRequest(body, template.arguments.body, input);
  if (sent !== undefined) headers.set('content-type', sent.mediaType);
  return { method, url, headers, body: sent?.text };
}

/** A value without members of its own that would be credentials: an object can have any names. */
function withoutCredentials(
  { place, explode }: Parameter,
  value: unknown,
  auth: RequestTemplate['auth'],
): unknown {
  if (!explode || !isRecord(value)) return value;
  const free = Object.entries(value).filter(([name]) => !auth.isCredential(place, name));
  return Object.fromEntries(free);
}

type Values = readonly (readonly [Parameter, unknown])[];

function urlOf({ path, baseUrl }: RequestTemplate, values: Values, { query }: Credentials): URL {
  const inPath = new Map(
    values
      .filter(([{ place }]) => place === 'path')
      .map(([one, value]) => [one.name, segment(one, value)]),
  );
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (all, name: string) => inPath.get(name) ?? all);
  const url = new URL(baseUrl);
  const whole = `${baseUrl.pathname.replace(/\/$/, '')}${filled}`;
  url.pathname = whole;
  const pairs: Pair[] = [];
  let length = url.href.length;
  for (const [parameter, value] of values) {
    if (parameter.place !== 'query') continue;
    for (const pair of toPairs(parameter, value)) {
      length += pair[0].length + pair[1].length + 2;
      if (length > MAXIMUM_ADDRESS) break;
      pairs.push(pair);
    }
  }
  if (length > MAXIMUM_ADDRESS) {
    throw failed(
      `the address of the request has more than ${MAXIMUM_ADDRESS} characters; pass less`,
    );
  }
  for (const [name, value] of query) pairs.push([encode(name), encode(value)]);
  url.search = pairs.map(([name, value]) => `${name}=${value}`).join('&');
  return url;
}

/**
 * A value in a path. Whatever it contains, it is one segment of the path or a part of one. Some
 * servers decode a path before they divide it, so it has no `..` after decoding either.
 */
function segment(parameter: Parameter, value: unknown): string {
  const plain = toText(parameter, value, (text) => text);
  if (plain === '')
    throw failed(`${JSON.stringify(parameter.name)} is empty, which would be another path`);
  // What follows a `;` is a parameter of the segment for some servers, which drop it.
  const parts = plain.split(/[/\\]|%2f|%5c/i).map((part) => part.split(/;|%3b/i, 1)[0] ?? '');
  if (parts.some((part) => /^(\.|%2e){1,2}$/i.test(part.trim()))) {
    throw failed(
      `${JSON.stringify(parameter.name)} has a part "." or "..", which would be another path`,
    );
  }
  return toText(parameter, value, encode);
}

function headerText(parameter: Parameter, value: unknown): string {
  const text = toText(parameter, value, (part) => part);
  if (text.length <= MAXIMUM_HEADER && isHeaderText(text)) return text;
  throw failed(
    `${JSON.stringify(parameter.name)} cannot be a header: it must have at most ${MAXIMUM_HEADER} characters, all of Latin-1, and no line ends`,
  );
}

/** @param header - A header of credentials, which may have cookies, too. */
function cookiesOf(values: Values, credentials: Credentials, header: string): string {
  const inHeader = header.split(';').map((cookie) => cookie.split('=', 1)[0]?.trim() ?? '');
  const own = new Set([...credentials.cookies.map(([name]) => name), ...inHeader]);
  const cookies: string[] = [];
  let length = 0;
  const add = ([name, value]: Pair): void => {
    length += name.length + value.length + 3;
    if (length > MAXIMUM_HEADER)
      throw failed(`the cookies have more than ${MAXIMUM_HEADER} characters`);
    cookies.push(`${name}=${value}`);
  };
  for (const [parameter, value] of values) {
    if (parameter.place !== 'cookie') continue;
    for (const pair of toPairs(parameter, value)) if (!own.has(pair[0])) add(pair);
  }
  for (const cookie of credentials.cookies) add(cookie);
  if (header !== '') cookies.push(header);
  return cookies.join('; ');
}

function failed(message: string): ToolCallFailure {
  return new ToolCallFailure('Failed', message);
}
