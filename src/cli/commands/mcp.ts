import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { mcpServer } from '../../mcp/server/mcp-server.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { ProviderChoice } from '../../providers/select-provider.ts';
import { SandboxExecutor } from '../../sessions/sandbox-executor.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { isAborted, UsageError } from '../failure.ts';
import { readGivenTools, type GivenTools, type ToolOptions } from '../modules/given-tools.ts';
import { onAbort } from '../../shared/async/on-abort.ts';
import { inBackground } from '../../shared/async/background.ts';
import { watchInterruption } from '../interruption.ts';
import { connectServers } from '../mcp/connect-servers.ts';
import { showProgress } from '../progress.ts';

export interface McpCommandOptions extends ToolOptions {
  readonly provider: ProviderChoice;
  /** The languages of the programs. */
  readonly language: readonly LanguageName[];
  /** Time limit of each program, in milliseconds. */
  readonly timeout: number;
  /** The port to listen on. @default standard input and output */
  readonly http?: number;
  readonly host?: string;
  /** The environment variable, or the file, with the bearer tokens, which are on lines of their own. */
  readonly tokenEnv?: string;
  readonly tokenFile?: string;
  readonly allowHost?: readonly string[];
}

/** What `serve` needs besides the options. */
interface ServeContext {
  readonly tokens: readonly string[];
  /** The tools, of which servers are not connected yet. */
  readonly unconnected: GivenTools;
  /** Standard output. */
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * Serves MCP clients until the client leaves or a signal arrives. Returns the exit status.
 * @throws UsageError, and PtcError as `mcpTools` and `mcpServer`.
 */
export async function mcp(options: McpCommandOptions): Promise<number> {
  // Before a module is loaded that may print.
  using output = reserveOutput();
  const tokens = await tokensOf(options);
  const unconnected = await readGivenTools(options);
  using interruption = watchInterruption();
  try {
    await serve(options, {
      tokens,
      unconnected,
      output: output.stream,
      signal: interruption.signal,
    });
  } catch (error) {
    if (interruption.exitStatus === undefined || !(isAborted(error) || isClosed(error)))
      throw error;
  }
  return interruption.exitStatus ?? 0;
}

/** Whether an error only says that the signal closed the server before it began to serve. */
function isClosed(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'CLOSED';
}

/** Serves until the client leaves or the signal fires. */
async function serve(
  options: McpCommandOptions,
  { tokens, unconnected, output, signal }: ServeContext,
): Promise<void> {
  await using tools = await connectServers(unconnected, signal, {
    missing: async ({ name }) => {
      // Clients do not show what is printed, and give up before a person has logged in.
      const message = `The MCP server ${name} needs a login. Log in first: run \`echo pass | sandboxed-ptc exec --mcp ${options.mcp} -\` in a terminal.`;
      throw new PtcError('MCP_LOGIN_REQUIRED', message, { details: { server: name } });
    },
    // Other tools of the server may work.
    narrow: () => Promise.resolve(),
  });
  await using executor = new SandboxExecutor({
    tools: tools.registry,
    provider: options.provider,
    languages: options.language,
    programTimeoutMs: options.timeout,
    onProgress: showProgress,
  });
  const { policy } = unconnected;
  await using server = mcpServer({ executor, ...given({ policy }) });
  using _ = closeOn(signal, async () => server.close());
  const { http: port, host, allowHost: allowedHosts } = options;
  if (port === undefined) {
    await server.stdio({ output });
    return;
  }
  const listening = server.listen({ port, tokens, ...given({ host, allowedHosts }) });
  await using listener = await listening.catch(nameFlags);
  process.stderr.write(`Listening at ${listener.url}\n`);
  await untilAborted(new Promise(() => {}), signal);
}

/** The flags that an option of `listen` comes from. */
const FLAGS: Readonly<Record<string, string>> = {
  port: '--http',
  host: '--host',
  tokens: '--token-env and --token-file',
  allowedHosts: '--allow-host',
};

/** Has the error of an option name its flags. */
function nameFlags(error: unknown): never {
  const option = PtcError.isInstance(error) ? error.details['option'] : undefined;
  const flags = typeof option === 'string' ? FLAGS[option] : undefined;
  throw flags === undefined
    ? error
    : new UsageError(`${flags}: ${messageOf(error)}`, { cause: error });
}

/** No message has a token, and the command line, which other users can see, has none either. */
async function tokensOf(options: McpCommandOptions): Promise<readonly string[]> {
  const { http, tokenEnv: name, tokenFile: path } = options;
  const ofHttp = ['host', 'tokenEnv', 'tokenFile', 'allowHost'] as const;
  const foreign = ofHttp.find((option) => options[option] !== undefined);
  if (http === undefined && foreign !== undefined) {
    const flag = foreign.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} needs --http. Add it, or leave --${flag} out.`);
  }
  const fromEnvironment = name === undefined ? '' : process.env[name];
  if (fromEnvironment === undefined) {
    throw new UsageError(`--token-env ${name}: this environment variable is not set.`);
  }
  const fromFile = path === undefined ? '' : await readTokens(path);
  const lines = `${fromEnvironment}\n${fromFile}`.split('\n').map((line) => line.trim());
  const tokens = lines.filter((line) => line !== '');
  if (tokens.length === 0 && (name !== undefined || path !== undefined)) {
    throw new UsageError('There is no token in what --token-env or --token-file names.');
  }
  return tokens;
}

async function readTokens(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`--token-file ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Takes standard output for the protocol alone: what anything else writes to it goes to standard
 * error from now on.
 */
function reserveOutput(): Disposable & { readonly stream: Writable } {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => void write(chunk, (error) => done(error)),
  });
  return {
    stream,
    [Symbol.dispose]: () => {
      // What the prototype has counts again.
      Reflect.deleteProperty(stdout, 'write');
    },
  };
}

function closeOn(signal: AbortSignal, close: () => Promise<void>): Disposable {
  const stop = (): void => inBackground(close());
  const stopListening = onAbort(signal, stop);
  if (signal.aborted) stop();
  return { [Symbol.dispose]: stopListening };
}
