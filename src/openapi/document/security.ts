import { isRecord } from '../../shared/guards.ts';
import type { OpenApiDocument, Part } from './document.ts';

/** How a request proves who sends it. */
export interface SecurityScheme {
  readonly place: 'header' | 'query' | 'cookie';
  /** The name of the header, query parameter or cookie. */
  readonly key: string;
  /** Whether the secret is sent as it is, as a bearer token, or as a user name with a password. */
  readonly kind: 'key' | 'bearer' | 'basic';
}

/**
 * The security schemes of a document, by their names. Undefined are those that need more than a
 * secret, such as digests.
 */
export function securitySchemesOf(
  document: OpenApiDocument,
): ReadonlyMap<string, SecurityScheme | undefined> {
  const { root, version } = document;
  const { components, securityDefinitions } = root;
  const schemes =
    version === '2.0' ? securityDefinitions : isRecord(components) && components['securitySchemes'];
  const found = new Map<string, SecurityScheme | undefined>();
  for (const [name, scheme] of Object.entries(isRecord(schemes) ? schemes : {})) {
    found.set(name, schemeOf(document.resolve(scheme) ?? {}));
  }
  return found;
}

/** Whether a text can name a header or a cookie. */
export function isToken(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(text);
}

/** Whether a text can be the value of a header. */
export function isHeaderText(text: string): boolean {
  return /^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(text);
}

function schemeOf({ type, scheme, in: place, name: key }: Part): SecurityScheme | undefined {
  if (type === 'apiKey') {
    const isUsable = typeof key === 'string' && isToken(key);
    const isPlace = place === 'header' || place === 'query' || place === 'cookie';
    return isUsable && isPlace ? { place, key, kind: 'key' } : undefined;
  }
  const word = type === 'http' ? String(scheme).toLowerCase() : type;
  if (word === 'basic') return { place: 'header', key: 'authorization', kind: 'basic' };
  return word === 'bearer' || word === 'oauth2' || word === 'openIdConnect'
    ? { place: 'header', key: 'authorization', kind: 'bearer' }
    : undefined;
}

/** The names of the schemes of a `security`: one of these lists is needed, as a whole. */
export function requirementsOf(security: unknown): readonly string[][] {
  return Array.isArray(security)
    ? security.filter(isRecord).map((names) => Object.keys(names))
    : [];
}
