import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { PtcError } from '../../../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { checkCount, invalidOption } from '../../../shared/options/option-values.ts';

/** Options of `McpCodeServer.listen`. */
export interface McpListenOptions {
  /** 0 for any that is free. */
  readonly port: number;
  /** The address to listen on. One that other machines can reach needs `tokens`. @default 127.0.0.1 */
  readonly host?: string;
  /**
   * The bearer tokens of the callers, of at least 16 characters. Each caller has sessions of its own.
   * @default none: whoever can connect is the same caller
   */
  readonly tokens?: readonly string[];
  /**
   * The host names by which clients reach the server, beside `host` and those of this machine, such
   * as `tools.example.com`. Requests for others are refused.
   * @default none
   */
  readonly allowedHosts?: readonly string[];
}

export const MCP_LISTEN: OptionsObject<McpListenOptions> = {
  of: 'listen',
  names: { port: 'number', host: 'text', tokens: 'array', allowedHosts: 'array' },
  page: 'docs/mcp-server.md',
  required: ['port'],
  otherWords: { token: 'tokens', hostname: 'host', hosts: 'allowedHosts' },
};

/** The host names and addresses of this machine, as in URLs. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A host with a port or without. A URL could have other parts too. */
const HOST = /^[\w.:[\]-]+$/;

const SHORTEST_TOKEN = 16;

/** Who may make requests. */
export interface Access {
  readonly hosts: ReadonlySet<string>;
  readonly tokenDigests: readonly Buffer[];
}

/** A caller, or why a request is refused. */
export type Admission =
  | { readonly caller: string }
  | { readonly status: 401 | 403; readonly message: string };

/** @throws PtcError `OPTION_INVALID` */
export function accessOf(options: McpListenOptions): Access {
  checkOptionNames(options, MCP_LISTEN);
  const { port, host = '127.0.0.1', tokens = [], allowedHosts = [] } = options;
  checkCount('port', port, 0);
  if (port > 65_535) throw invalidOption('port', port, 'at most 65535');
  for (const token of tokens) checkToken(token);
  for (const name of allowedHosts) checkHost(name);
  if (tokens.length === 0 && !LOOPBACK.includes(hostInUrl(host))) {
    throw new PtcError(
      'OPTION_INVALID',
      `Other machines can reach ${host}, so listen needs tokens. Set tokens, or listen on 127.0.0.1.`,
      { details: { option: 'tokens' } },
    );
  }
  return {
    hosts: new Set([
      ...LOOPBACK,
      hostInUrl(host),
      ...allowedHosts.map((name) => name.toLowerCase()),
    ]),
    tokenDigests: tokens.map(digestOf),
  };
}

/** An address as clients have it in URLs, where one of IPv6 has its shortest form. */
export function hostInUrl(host: string): string {
  const inUrl = host.includes(':') ? `[${host}]` : host;
  return hostOf(`http://${inUrl}`) ?? inUrl;
}

/**
 * Decides who makes a request. The host and the origin are checked first: a web page can have a
 * browser send requests to this machine, under a name of its own.
 */
export function admit(headers: IncomingHttpHeaders, { hosts, tokenDigests }: Access): Admission {
  const { host, origin, authorization = '' } = headers;
  if (host === undefined || !HOST.test(host) || !hosts.has(hostOf(`http://${host}`) ?? '')) {
    return {
      status: 403,
      message: 'This server is not reached by this host name. Add the name to its allowedHosts.',
    };
  }
  if (origin !== undefined && !hosts.has(hostOf(origin) ?? '')) {
    return { status: 403, message: 'Web pages of this origin may not use this server.' };
  }
  if (tokenDigests.length === 0) return { caller: 'anyone' };
  const [, token = ''] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  const sent = digestOf(token);
  let caller: number | undefined;
  // All are compared, so that the time tells nothing.
  for (const [index, digest] of tokenDigests.entries()) {
    if (timingSafeEqual(digest, sent)) caller = index;
  }
  return caller === undefined
    ? { status: 401, message: 'This server needs a bearer token that it knows.' }
    : { caller: `token ${caller}` };
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** No message has the token. */
function checkToken(token: unknown): void {
  if (typeof token === 'string' && token.length >= SHORTEST_TOKEN && /^[\x21-\x7E]+$/.test(token))
    return;
  throw new PtcError(
    'OPTION_INVALID',
    `tokens must be texts of at least ${SHORTEST_TOKEN} visible ASCII characters, without spaces.`,
    { details: { option: 'tokens' } },
  );
}

function checkHost(name: unknown): void {
  if (typeof name === 'string' && hostOf(`http://${name}`) === name.toLowerCase()) return;
  throw invalidOption('allowedHosts', name, 'names of hosts, without a scheme or a port');
}
