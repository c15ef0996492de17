import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { mcpServer } from '../../mcp/server/mcp-server.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { ProviderChoice } from '../../providers/select-provider.ts';
import { SandboxExecutor } from '../../sessions/sandbox-executor.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { messageOf } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { UsageError } from '../failure.ts';
import { onAbort } from '../../shared/async/on-abort.ts';
import { inBackground } from '../../shared/async/background.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { watchInterruption } from '../interruption.ts';
import { showProgress } from '../progress.ts';
import { loadTools } from '../tools-module.ts';

export interface McpCommandOptions {
  readonly provider: ProviderChoice;
  /** The languages of the programs. */
  readonly language: readonly LanguageName[];
  /** The path of a module whose default export is an array of tools. */
  readonly tools?: string;
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

/**
 * Serves MCP clients until the client leaves or a signal arrives. Returns the exit status.
 * @throws UsageError, and PtcError as `mcpServer`.
 */
export async function mcp(options: McpCommandOptions): Promise<number> {
  // Before a module is loaded that may print.
  using output = reserveOutput();
  const { http: port } = options;
  const tokens = await tokensOf(options);
  const tools = options.tools === undefined ? new ToolRegistry() : await loadTools(options.tools);
  using interruption = watchInterruption();
  await using executor = new SandboxExecutor({
    tools,
    provider: options.provider,
    languages: options.language,
    programTimeoutMs: options.timeout,
    onProgress: showProgress,
  });
  await using server = mcpServer({ executor });
  using _ = closeOn(interruption.signal, async () => server.close());
  if (port === undefined) await server.stdio({ output: output.stream });
  else {
    const { host, allowHost: allowedHosts } = options;
    await using listener = await server.listen({ port, tokens, ...given({ host, allowedHosts }) });
    process.stderr.write(`Listening at ${listener.url}\n`);
    await untilAborted(new Promise(() => {}), interruption.signal);
  }
  return interruption.exitStatus ?? 0;
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
  const tokens = `${fromEnvironment}\n${fromFile}`.split(/\s*\n\s*/).filter((line) => line !== '');
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
