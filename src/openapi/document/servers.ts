import { PtcError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import type { OpenApiDocument, Part } from './document.ts';
import { Unsupported } from './parameters.ts';

/**
 * The address to which the paths of a document are added.
 * @param given - That of the option; without it, the first absolute one of the document is used.
 * @throws PtcError `OPTION_INVALID`
 */
export function baseUrlOf(document: OpenApiDocument, given: string | URL | undefined): URL {
  if (given !== undefined) {
    const url = usable(textOf(given));
    if (url !== undefined) return url;
    throw new PtcError(
      'OPTION_INVALID',
      'baseUrl must be an address that begins with http:// or https://, without a user name, a query, a fragment or braces.',
      { details: { option: 'baseUrl' } },
    );
  }
  for (const address of addressesOf(document)) {
    const url = usable(address);
    if (url !== undefined) return url;
  }
  throw invalidOption('baseUrl', given, 'given, because the document names no absolute server');
}

/** The operations of many paths may share them. */
const MAXIMUM_SERVERS = 100;

/**
 * The address for an operation, which may have servers of its own.
 * @throws Unsupported if they are elsewhere, because requests, and what is secret in them, stay with one
 * origin, or if their address is not complete.
 */
export function baseUrlOfOperation(
  base: URL,
  { part, pathItem }: { readonly part: Part; readonly pathItem: Part },
): URL {
  const own = [part['servers'], pathItem['servers']].find((list) => Array.isArray(list));
  if (!Array.isArray(own) || own.length === 0) return base;
  for (const address of own.slice(0, MAXIMUM_SERVERS).map(addressOf)) {
    const url = usable(address, base);
    if (url?.origin === base.origin) return url;
  }
  throw new Unsupported('its server has another origin, or a variable without a default');
}

function addressesOf({ root, version }: OpenApiDocument): readonly string[] {
  const { servers, host, basePath = '', schemes } = root;
  if (version !== '2.0') return Array.isArray(servers) ? servers.map(addressOf) : [];
  if (typeof host !== 'string') return [];
  const scheme = Array.isArray(schemes) && !schemes.includes('https') ? schemes[0] : 'https';
  return [`${String(scheme)}://${host}${String(basePath)}`];
}

/** The address of a server object, with the defaults of its variables. Others stay in braces. */
function addressOf(server: unknown): string {
  const { url, variables } = isRecord(server) ? server : {};
  return String(url).replaceAll(/\{([^{}]*)\}/g, (all, name: string) => {
    const variable = isRecord(variables) && Object.hasOwn(variables, name) && variables[name];
    const value = isRecord(variable) ? variable['default'] : undefined;
    // In YAML, a port or a version is easily a number.
    return typeof value === 'string' || typeof value === 'number' ? String(value) : all;
  });
}

/** Empty for what is neither a text nor a URL, such as a proxy that cannot be read. */
function textOf(address: unknown): string {
  try {
    return typeof address === 'string' || address instanceof URL ? String(address) : '';
  } catch {
    return '';
  }
}

function usable(address: string, base?: URL): URL | undefined {
  if (/[{}]/.test(address) || !URL.canParse(address, base?.href)) return undefined;
  const url = new URL(address, base);
  const isPlain =
    url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}
