import { PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { timeLimitsOf } from '../../tools/limits/call-deadline.ts';
import { checkSourceName } from '../../tools/registry/source-tools.ts';
import { checkAuth, type McpAuth } from './auth/auth-options.ts';
import type { McpClient } from './mcp-client.ts';
import { checkPin, type ToolPins } from './pin/pins.ts';
import type { McpElicitationHandler } from './requests/elicitation.ts';
import { samplingOf, type McpSampling } from './requests/sampling.ts';
import { isSendable } from './sendable-header.ts';
import { webAddress } from './web-address.ts';

interface NamedServer {
  /**
   * The name space of its tools, as for a `ToolSource`: programs call the tool `create_issue` of
   * the server `github` as `github.create_issue(…)`.
   */
  readonly name: string;
  /**
   * Whether a tool whose definition the server changes can be called only after `McpTools.accept`.
   * `true` accepts each tool as it is first listed. Digests that `McpTools.pins` returned, perhaps in
   * another process, accept these definitions and no others, not even of new tools.
   * @default false
   */
  readonly pin?: boolean | ToolPins;
  /**
   * Whether programs can read the resources of the server, with the tools `list_resources` and
   * `read_resource`. If the server has tools of these names, they stay.
   * @default false
   */
  readonly resources?: boolean;
  /**
   * How long a call of one of its tools may take, in milliseconds. If the server reports progress, the
   * time begins again.
   * @default 30000
   */
  readonly timeoutMs?: number;
  /**
   * How long a call about which the server reports progress may take in total, in milliseconds.
   * @default ten times `timeoutMs`
   */
  readonly maxTimeoutMs?: number;
  /**
   * Ends connecting, and the process of a server that was started for it. It has no effect later:
   * `close` ends a connection.
   * @default none
   */
  readonly signal?: AbortSignal;
}

/** A server to which `mcpTools` connects. */
interface OwnConnection extends NamedServer {
  /**
   * Answers what the server asks a user for during a call, such as the values of a form. Without it,
   * the server is told that it cannot ask.
   * @default the server cannot ask
   */
  readonly onElicitation?: McpElicitationHandler;
  /**
   * The model that the server may ask during a call, and how much.
   * @default the server cannot ask a model
   */
  readonly sampling?: McpSampling;
}

/** A server that runs as a child process and talks over its standard input and output. */
export interface McpStdioServer extends OwnConnection {
  /** The program to start. It runs with the rights of this process, outside any sandbox. */
  readonly command: string;
  /** @default none */
  readonly args?: readonly string[];
  /**
   * Environment variables, in addition to `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER` of
   * this process. It gets no others.
   * @default none
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The directory in which it is started. @default that of this process */
  readonly cwd?: string;
}

/** A server that is reached by Streamable HTTP. */
export interface McpHttpServer extends OwnConnection {
  readonly url: string | URL;
  /**
   * Headers of each request to the origin of `url`, such as `Authorization`, which cannot be used
   * together with `auth`. An authorization server at another origin does not get them.
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** How to log in. Without it, a server that needs a login must get it in `headers`. @default none */
  readonly auth?: McpAuth;
}

/** A server to which your own client of `@modelcontextprotocol/client` is connected. */
export interface McpConnectedServer extends NamedServer {
  /** It stays connected after `close`, and is not connected again if its connection is lost. */
  readonly client: McpClient;
}

/** An MCP server whose tools programs call. */
export type McpServer = McpStdioServer | McpHttpServer | McpConnectedServer;

type AllOptions = Omit<McpStdioServer, 'command'> &
  Partial<Pick<McpStdioServer, 'command'> & McpHttpServer & McpConnectedServer>;

/** The ways to reach a server, and the options that belong to each. */
const WAYS = {
  command: ['args', 'env', 'cwd', 'onElicitation', 'sampling'],
  url: ['headers', 'auth', 'onElicitation', 'sampling'],
  client: [],
} as const satisfies Record<string, readonly (keyof AllOptions)[]>;

export const MCP_SERVER: OptionsObject<AllOptions> = {
  of: 'mcpTools',
  names: {
    name: true,
    pin: true,
    signal: 'signal',
    command: 'text',
    args: 'array',
    env: 'object',
    cwd: 'text',
    url: true,
    headers: 'object',
    auth: 'object',
    client: 'object',
    resources: 'boolean',
    timeoutMs: 'number',
    maxTimeoutMs: 'number',
    onElicitation: 'function',
    sampling: true,
  },
  page: 'docs/mcp.md',
  otherWords: { environment: 'env', uri: 'url', arguments: 'args', timeout: 'timeoutMs' },
  required: ['name'],
};

/**
 * Checks the options of `mcpTools`.
 * @throws PtcError `OPTION_INVALID`, or `TOOL_INVALID` for the name.
 */
export function checkServer(server: McpServer): void {
  checkOptionNames(server, MCP_SERVER);
  checkSourceName(server.name);
  checkPin(server.pin);
  timeLimitsOf(server);
  const options: AllOptions = server;
  const ways = Object.keys(WAYS) as (keyof typeof WAYS)[];
  const used = ways.filter((way) => options[way] !== undefined);
  const [way] = used;
  if (way === undefined || used.length > 1) {
    const what = used.length === 0 ? 'none of them' : used.join(' and ');
    throw new PtcError(
      'OPTION_INVALID',
      `mcpTools needs one of command, url and client for the server ${server.name}, not ${what}. See docs/mcp.md.`,
      { details: { option: way ?? 'command' } },
    );
  }
  const own: readonly (keyof AllOptions)[] = WAYS[way];
  const foreign = ways
    .filter((other) => other !== way)
    .flatMap((other) => WAYS[other])
    .find((option) => options[option] !== undefined && !own.includes(option));
  if (foreign !== undefined) {
    throw new PtcError(
      'OPTION_INVALID',
      `mcpTools cannot use ${foreign} with ${way}, for the server ${server.name}. Remove it.`,
      { details: { option: foreign } },
    );
  }
  checkTexts('args', options.args ?? []);
  checkTexts('env', options.env ?? {});
  checkTexts('headers', options.headers ?? {});
  checkSendable(options.headers ?? {});
  if (options.url !== undefined) urlOf(options.url);
  if (options.sampling !== undefined) samplingOf(options.sampling);
  if (options.auth === undefined) return;
  checkAuth(options.auth);
  if (!hasAuthorization(options.headers)) return;
  throw new PtcError(
    'OPTION_INVALID',
    `mcpTools cannot use the header Authorization with auth, for the server ${server.name}. Remove one.`,
    { details: { option: 'headers' } },
  );
}

/** A copy of the options without those that are undefined, so that `in` says what was given. */
export function givenServer(server: McpServer): McpServer {
  const { auth, ...others }: AllOptions = server;
  return given({ ...others, auth: auth && given(auth) }) as McpServer;
}

/** Whether headers have a token of their own. */
export function hasAuthorization(headers: McpHttpServer['headers'] = {}): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/** @throws PtcError `OPTION_INVALID` */
export function urlOf(url: string | URL): URL {
  const parsed = webAddress(url);
  if (parsed === undefined) {
    throw invalidOption('url', url, 'an address that begins with http:// or https://');
  }
  if (parsed.username === '' && parsed.password === '') return parsed;
  // `fetch` refuses such an address.
  throw new PtcError(
    'OPTION_INVALID',
    'url must be an address without a user name and a password. Pass them in headers, as Authorization, or log in with auth. See docs/mcp.md.',
    { details: { option: 'url' } },
  );
}

/** The values may be secrets, so no message shows them. */
function checkTexts(
  option: string,
  texts: readonly unknown[] | Readonly<Record<string, unknown>>,
): void {
  for (const [key, text] of Object.entries(texts)) {
    const found = typeof text === 'string' ? 'text with a null character' : typeof text;
    if (typeof text === 'string' && !text.includes('\0')) continue;
    throw new PtcError('OPTION_INVALID', `${option}: ${key} must be text, not ${found}.`, {
      details: { option },
    });
  }
}

function checkSendable(headers: Readonly<Record<string, string>>): void {
  const wrong = Object.entries(headers).find(([name, value]) => !isSendable(name, value));
  if (wrong === undefined) return;
  throw new PtcError(
    'OPTION_INVALID',
    `headers: ${JSON.stringify(wrong[0].slice(0, 100))} cannot be sent. A name has letters, digits and dashes, and a value has no line end and only characters of Latin-1. Correct it.`,
    { details: { option: 'headers' } },
  );
}
