import { isRecord } from '../../shared/guards.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { isHeaderText, isToken, type SecurityScheme } from '../document/security.ts';

/** A secret: a token or key, or for the scheme `basic`, a user name with its password. */
export type OpenApiCredential = string | { readonly username: string; readonly password: string };

/**
 * The credentials by the names of the document's security schemes, or a function that returns the
 * headers to add to a request, for documents without such schemes. Functions are called for each
 * call, so a token may be renewed, or be that of the user.
 */
export type OpenApiAuth =
  | Readonly<
      Record<
        string,
        | OpenApiCredential
        | ((context: ToolContext) => OpenApiCredential | Promise<OpenApiCredential>)
      >
    >
  | ((
      context: ToolContext,
    ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** What is added to a request. Only the service gets it. */
export interface Credentials {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
  readonly cookies: readonly (readonly [string, string])[];
  /** The secrets in it, as the service could send them back. */
  readonly secrets: readonly string[];
}

/**
 * Gets the credentials for a call.
 * @param names - Of the security schemes, if `auth` has credentials by their names.
 * @throws ToolCallFailure if they cannot be had. The message has no part of them.
 */
export async function credentialsFor(
  auth: OpenApiAuth,
  schemes: ReadonlyMap<string, SecurityScheme | undefined>,
  names: readonly string[],
  context: ToolContext,
): Promise<Credentials> {
  const headers: [string, string][] = [];
  const query: [string, string][] = [];
  const cookies: [string, string][] = [];
  const secrets: string[] = [];
  if (typeof auth === 'function') {
    const given = await obtain(async () => auth(context));
    if (!isRecord(given)) throw unobtained();
    for (const [name, value] of Object.entries(given)) {
      if (!isToken(name)) throw unobtained();
      headers.push([name, checked(value)]);
      secrets.push(checked(value).trim(), ...secretsIn(name, checked(value)));
    }
    return { headers, query, cookies, secrets };
  }
  for (const name of names) {
    const scheme = schemes.get(name);
    const given = auth[name];
    if (scheme === undefined || given === undefined) continue;
    const credential =
      typeof given === 'function' ? await obtain(async () => given(context)) : given;
    const value = textOf(scheme, credential);
    secrets.push(...secretsOf(credential), ...secretsIn(scheme.key, value));
    if (scheme.place === 'query') query.push([scheme.key, value]);
    else if (scheme.place === 'cookie') cookies.push([scheme.key, cookieText(value)]);
    else headers.push([scheme.key, checked(value)]);
  }
  return { headers, query, cookies, secrets };
}

async function obtain<Value>(get: () => Promise<Value>): Promise<Value> {
  try {
    return await get();
  } catch (cause) {
    throw unobtained(cause);
  }
}

function textOf({ kind }: SecurityScheme, credential: unknown): string {
  if (kind !== 'basic') {
    const secret = typeof credential === 'string' ? credential.toWellFormed() : '';
    if (secret === '') throw unobtained();
    return kind === 'bearer' ? `Bearer ${secret}` : secret;
  }
  const { username, password } = isRecord(credential) ? credential : {};
  if (typeof username !== 'string' || typeof password !== 'string') throw unobtained();
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Services compare a cookie with what they gave out, so only what no cookie can have is encoded. */
function cookieText(value: string): string {
  return value.replaceAll(
    /[^\u0021\u0023-\u002B\u002D-\u003A\u003C-\u005B\u005D-\u007E]/gu,
    encodeURIComponent,
  );
}

/** The name of a scheme, before a token or parameters. */
const SCHEME = /^[\w!#$%&'*+.^`|~-]+ +/;

/** The values of parameters such as `token="a", user=b`, and of cookies such as `a=b; c=d`. */
const PARAMETER_VALUES = /=\s*(?:"([^"]+)"|([^\s,;"]+))/g;
const COOKIE_VALUES = /=\s*"?([^;"]+)/g;

/** What services read from a header with credentials, and can send back without the rest. */
function secretsIn(name: string, value: string): readonly string[] {
  const pattern = name.toLowerCase() === 'cookie' ? COOKIE_VALUES : PARAMETER_VALUES;
  const values = [...value.matchAll(pattern)].map(([, first, second]) => first ?? second ?? '');
  // `fetch` sends no spaces at the ends.
  return [value.replace(SCHEME, ''), ...values].map((one) => one.trim());
}

function secretsOf(credential: OpenApiCredential): readonly string[] {
  return typeof credential === 'string' ? [credential] : [credential.password];
}

/** `fetch` would quote the value in its error. */
function checked(value: unknown): string {
  if (typeof value === 'string' && value !== '' && isHeaderText(value)) return value;
  throw unobtained();
}

/** The message of the cause may have secrets, so it is not repeated. */
function unobtained(cause?: unknown): ToolCallFailure {
  const message = 'the host has no usable credentials for this call';
  return new ToolCallFailure('Failed', message, { cause });
}
