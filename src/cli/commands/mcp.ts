import { Writable } from 'node:stream';
import { mcpServer } from '../../mcp/server/mcp-server.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { ProviderChoice } from '../../providers/select-provider.ts';
import { SandboxExecutor } from '../../sessions/sandbox-executor.ts';
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
}

/**
 * Serves MCP clients until the client leaves or a signal arrives. Returns the exit status.
 * @throws UsageError, and PtcError as `mcpServer`.
 */
export async function mcp(options: McpCommandOptions): Promise<number> {
  // Before a module is loaded that may print.
  using output = reserveOutput();
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
  await server.stdio({ output: output.stream });
  return interruption.exitStatus ?? 0;
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
