import { messageOf, PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { isRecord } from '../../shared/guards.ts';
import { nearestName } from '../../shared/nearest-name.ts';
import { isOfKind, OPTION_KINDS, type OptionKind } from '../../shared/options/option-kinds.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { showValue } from '../../shared/show-value.ts';
import { toIdentifier } from '../../tools/names.ts';
import { checkServer, type McpHttpServer, type McpStdioServer } from '../client/mcp-server.ts';
import { webAddress } from '../client/web-address.ts';
import { repeatedName } from './repeated-name.ts';
import { fillIn, type Environment } from './variables.ts';

/** Options of `readMcpServers`. */
export interface McpServersOptions {
  /** Variables for `${NAME}`. @default the environment of this process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** What a file of MCP servers says. */
export interface McpServersFile {
  /** The servers that are not disabled, in the order of the file. */
  readonly servers: readonly (McpStdioServer | McpHttpServer)[];
  /**
   * The client ids with which a person logs in to servers (`oauth.clientId`), by the names of the
   * servers: for a login of your own. Without one, a program registers itself.
   */
  readonly clientIds: ReadonlyMap<string, string>;
  /** Sentences that name the fields without an effect here. */
  readonly warnings: readonly string[];
}

export const SERVERS_OPTIONS: OptionsObject<McpServersOptions> = {
  of: 'readMcpServers',
  names: { environment: 'object' },
  page: 'docs/mcp.md',
  otherWords: { env: 'environment' },
};

/** Longer names of sources are refused, in characters. */
const MAXIMUM_NAME = 64;

/** Longer texts are refused, in characters. */
const MAXIMUM_LENGTH = 2 ** 20;

/** The field that each type of a server needs. */
const WAYS: Readonly<Record<string, 'command' | 'url'>> = {
  stdio: 'command',
  http: 'url',
  'streamable-http': 'url',
  streamableHttp: 'url',
};

/** The fields that are options of `mcpTools`, and what each must be. */
const USED = {
  command: 'text',
  args: 'array',
  env: 'object',
  cwd: 'text',
  url: 'text',
  headers: 'object',
} as const satisfies Record<string, OptionKind>;
/** Fields that hosts have, and without which a server works in the same way. */
const IGNORED = ['alwaysAllow', 'autoApprove', 'description', 'icon', 'timeout', 'trust'];
const KNOWN = ['type', 'disabled', 'oauth', ...Object.keys(USED), ...IGNORED];
/** Other words of hosts for fields. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['serverUrl', 'url'],
  ['httpUrl', 'url'],
]);

/**
 * Reads the file in which applications have their MCP servers: JSON with `mcpServers`. Returns them
 * as options for `mcpTools`. A name that programs cannot use is changed: `brave-search` becomes
 * `brave_search`, `fetch` becomes `fetch_`, and `2fa` becomes `mcp_2fa`.
 * @param json - The text of the file, with at most 1,048,576 characters.
 * @throws PtcError `OPTION_INVALID` for a text that is not such a file, a server that cannot be used,
 * a field that is not supported, or an environment variable that is not set. No message has a value
 * of a variable or of a field that can be a secret.
 */
export function readMcpServers(json: string, options: McpServersOptions = {}): McpServersFile {
  checkOptionNames(options, SERVERS_OPTIONS);
  const { environment = process.env } = options;
  const entries = Object.entries(serversOf(json)).filter(
    ([, fields]) => !isRecord(fields) || fields['disabled'] !== true,
  );
  const original = new Map<string, string>();
  const clientIds = new Map<string, string>();
  const warnings: string[] = [];
  const servers = entries.map(([label, fields]) => {
    const shown = `The server ${showValue(label)}`;
    const name = nameOf(label);
    const same = original.get(name);
    if (same !== undefined) {
      throw invalid(
        `${shown} and ${showValue(same)} would both be ${name} in programs. Rename one.`,
      );
    }
    original.set(name, label);
    if (!isRecord(fields)) {
      throw invalid(`${shown} must be an object, not ${kindOf(fields)}.`);
    }
    const ignored = checkFields(fields, shown);
    if (ignored.length > 0) warnings.push(`${shown}: ${ignored.join(', ')} has no effect here.`);
    const server = serverOf(name, fields, shown, environment);
    const clientId = clientIdOf(fields, shown, environment);
    if (clientId !== undefined) clientIds.set(name, clientId);
    return server;
  });
  return { servers, clientIds, warnings };
}

/** The name of the source for a server: it must begin with a letter. */
function nameOf(label: string): string {
  const word = label.replaceAll(/\W/g, '_');
  const between = word === '' || word.startsWith('_') ? '' : '_';
  const begun = /^[A-Za-z]/.test(word) ? word : `mcp${between}${word}`;
  return toIdentifier(begun.slice(0, MAXIMUM_NAME));
}

/** The member `mcpServers`. Other members are settings of the application to which the file belongs. */
function serversOf(json: string): Readonly<Record<string, unknown>> {
  if (typeof json !== 'string')
    throw invalid(`The file of servers must be a text, not ${showValue(json)}.`);
  if (json.length > MAXIMUM_LENGTH) {
    throw invalid(
      `The file of servers has ${json.length} characters, and at most ${MAXIMUM_LENGTH} are allowed. Remove what is not needed.`,
    );
  }
  const file = parse(json);
  const servers =
    isRecord(file) && Object.hasOwn(file, 'mcpServers') ? file['mcpServers'] : undefined;
  if (!isRecord(servers)) {
    throw invalid(
      'The file of servers must be a JSON object whose member mcpServers is an object with the servers.',
    );
  }
  const repeated = repeatedName(json);
  if (repeated === undefined) return servers;
  throw invalid(
    `The name ${showValue(repeated)} occurs twice in one object. Rename or remove one.`,
  );
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    // The message of the parser may quote a secret.
    const [, position] = / at position (\d+)/.exec(messageOf(error)) ?? [];
    const line =
      position === undefined ? undefined : json.slice(0, Number(position)).split('\n').length;
    const where = line === undefined ? '' : ` (see line ${line})`;
    throw invalid(
      `The file of servers is not valid JSON${where}. JSON has no comments, and no comma before a closing bracket.`,
    );
  }
}

/** Returns the fields that have no effect. */
function checkFields(fields: Readonly<Record<string, unknown>>, shown: string): readonly string[] {
  const names = Object.keys(fields);
  for (const field of names) {
    if (KNOWN.includes(field)) continue;
    const meant = OTHER_WORDS.get(field) ?? nearestName(field, KNOWN);
    const advice =
      meant === undefined ? 'Remove it' : `Did you mean ${meant}? Otherwise, remove it`;
    throw invalid(
      `${shown} has the field ${showValue(field)}, which is not supported here. ${advice}, if the server is safe and works without it.`,
    );
  }
  const { disabled = false } = fields;
  if (typeof disabled !== 'boolean') {
    throw invalid(`${shown}: disabled must be true or false, not ${showValue(disabled)}.`);
  }
  return names.filter((field) => IGNORED.includes(field));
}

function serverOf(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  shown: string,
  environment: Environment,
): McpStdioServer | McpHttpServer {
  const { type, command, url } = fields;
  if ((command === undefined) === (url === undefined)) {
    const what = command === undefined ? 'neither' : 'both';
    throw invalid(`${shown} must have either command or url, and has ${what}.`);
  }
  const way = command === undefined ? 'url' : 'command';
  if (type !== undefined && (typeof type !== 'string' || WAYS[type] !== way)) {
    throw invalid(
      `${shown} has ${way} and the type ${showValue(type)}, which cannot be used. The type can be "stdio" with command, and "http" (Streamable HTTP) with url.`,
    );
  }
  const used = Object.fromEntries(Object.keys(USED).map((field) => [field, fields[field]]));
  checkKinds(used, shown);
  const server = { name, ...(fillIn(given(used), shown, environment) as object) } as
    | McpStdioServer
    | McpHttpServer;
  // `checkServer` would show the address, which may contain a key.
  if ('url' in server && !(typeof server.url === 'string' && webAddress(server.url))) {
    throw invalid(`${shown}: url must be an address that begins with http:// or https://.`);
  }
  try {
    checkServer(server);
  } catch (cause) {
    throw invalid(`${shown}: ${messageOf(cause)}`, cause);
  }
  return server;
}

/** A person logs in with it, so a server has it only if it is reached by HTTP. */
function clientIdOf(
  { oauth, url }: Readonly<Record<string, unknown>>,
  shown: string,
  environment: Environment,
): string | undefined {
  if (oauth === undefined) return undefined;
  const { clientId, ...others } = isRecord(oauth) ? oauth : {};
  const isAlone = Object.keys(others).length === 0;
  if (typeof clientId === 'string' && isAlone && url !== undefined) {
    // A variable that is set may be empty.
    const filled = fillIn(clientId, shown, environment);
    if (typeof filled === 'string' && filled !== '') return filled;
  }
  throw invalid(
    `${shown}: oauth must be an object with clientId, a text that is not empty, and nothing else, and the server must have url.`,
  );
}

/** Before variables are filled in: the check of the options quotes values, which are secrets then. */
function checkKinds(used: Readonly<Record<string, unknown>>, shown: string): void {
  for (const [field, kind] of Object.entries(USED)) {
    const value = used[field];
    if (value === undefined || isOfKind(value, kind)) continue;
    throw invalid(
      `${shown}: ${field} must be ${OPTION_KINDS[kind].expected}, not ${kindOf(value)}.`,
    );
  }
}

/** What a value of JSON is: a phrase without the value. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

function invalid(message: string, cause?: unknown): PtcError {
  return new PtcError('OPTION_INVALID', message, { cause });
}
