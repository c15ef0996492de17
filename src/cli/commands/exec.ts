import type { ExecutionResult } from '../../execution/execution.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { ProviderChoice } from '../../providers/select-provider.ts';
import { SandboxExecutor } from '../../sessions/sandbox-executor.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import { given } from '../../shared/given.ts';
import { terminalPolicy } from '../approvals/terminal-policy.ts';
import { isAborted } from '../failure.ts';
import { readGivenTools, type ToolOptions } from '../modules/given-tools.ts';
import { watchInterruption, type Interruption } from '../interruption.ts';
import { connectServers } from '../mcp/connect-servers.ts';
import { Produced } from '../produced/produced.ts';
import { readPrograms, type Program } from '../programs.ts';
import { LineReader } from '../terminal/line-reader.ts';
import { showProgress } from '../progress.ts';
import { colorsFor, jsonFor, outputFor } from '../terminal/terminal.ts';

export interface ExecCommandOptions extends ToolOptions {
  readonly provider: ProviderChoice;
  /** The language of the programs. @default by file extension, otherwise Python */
  readonly language?: LanguageName;
  /** Time limit of each program, in milliseconds. */
  readonly timeout: number;
  /** The directory in which the files and images of programs are saved. @default none are saved */
  readonly output?: string;
  /** Prints one result per line as JSON. */
  readonly json: boolean;
}

/**
 * Runs programs one after another in one session. If a program fails, the next ones still run,
 * unless the session ended. Returns the exit status: 1 if one failed, or if what one produced could
 * not be saved.
 * @throws UsageError, and PtcError as `mcpTools` and `SandboxExecutor.execute`.
 */
export async function exec(files: readonly string[], options: ExecCommandOptions): Promise<number> {
  const programs = await readPrograms(files, options.language);
  const unconnected = await readGivenTools(options);
  const produced = await Produced.in(options.output);
  using interruption = watchInterruption({ needsErrorOutput: true });
  try {
    await using tools = await connectServers(unconnected, interruption.signal);
    const hasReader = unconnected.policy !== undefined && !files.includes('-');
    using reader = hasReader ? terminalReader() : undefined;
    const policy = terminalPolicy(unconnected.policy, {
      reader: () => reader,
      output: process.stderr,
      onAsk: () => {},
    });
    await using executor = new SandboxExecutor({
      ...given({ policy }),
      tools: tools.registry,
      provider: options.provider,
      languages: [...new Set(programs.map(({ language }) => language))],
      programTimeoutMs: options.timeout,
      // Progress is only for a person who waits. A file or a pipe gets only the output of programs.
      ...(process.stderr.isTTY && { onProgress: showProgress }),
    });
    const allSucceeded = await runAll(programs, executor, { ...options, produced, interruption });
    return interruption.exitStatus ?? (allSucceeded && !produced.isIncomplete ? 0 : 1);
  } catch (error) {
    if (interruption.exitStatus !== undefined && isAborted(error)) return interruption.exitStatus;
    throw error;
  }
}

/** Reads what the person at the terminal decides. */
function terminalReader(): LineReader {
  const [input, output] = [process.stdin, process.stderr];
  // While lines are read from a terminal, Ctrl-C is a key and not a signal.
  const onInterrupt = (): boolean => process.kill(process.pid, 'SIGINT');
  return new LineReader({ input, output, prompt: '> ', onInterrupt });
}

interface RunOptions extends Pick<ExecCommandOptions, 'json' | 'output'> {
  readonly produced: Produced;
  readonly interruption: Interruption;
}

async function runAll(
  programs: readonly Program[],
  executor: SandboxExecutor,
  { json, output, produced, interruption }: RunOptions,
): Promise<boolean> {
  await using session = await executor.acquire({ signal: interruption.signal });
  let allSucceeded = true;
  for (const [index, program] of programs.entries()) {
    const result = await session.execute(program.code, {
      language: program.language,
      signal: interruption.signal,
      onEvent: (event) => {
        if (event.type !== 'output-delta' || json) return;
        const stream = event.stream === 'stdout' ? process.stdout : process.stderr;
        stream.write(outputFor(stream, event.text));
      },
    });
    allSucceeded &&= result.success;
    if (json) process.stdout.write(`${jsonFor(process.stdout, result)}\n`);
    else if (!result.success && !interruption.isOutputLost) reportProgram(result);
    if (!json) await produced.take(result, { line: say, draw });
    else if (output !== undefined) await produced.take(result, { line: say });
    if (interruption.signal.aborted) return false;
    const left = programs.slice(index + 1).map(({ name }) => name);
    if (!result.sessionOpen && left.length > 0) {
      say(`The session ended with ${program.name}; not run: ${left.join(', ')}`);
      return false;
    }
    if (!json && !result.success && programs.length > 1) say(`${program.name} failed`);
  }
  return allSucceeded;
}

/** Prints the error of a program as its interpreter would. */
function reportProgram({ error, status }: ExecutionResult): void {
  if (error === undefined) return;
  // A program that was stopped has no traceback, so its line is printed here.
  const where = status === 'error' || error.line === null ? '' : ` (at line ${error.line})`;
  const text = outputFor(process.stderr, `${error.traceback}${where}`);
  process.stderr.write(`${colorsFor(process.stderr).red(text)}\n`);
}

function draw(sequence: string): void {
  process.stdout.write(sequence);
}

function say(message: string): void {
  process.stderr.write(`${colorsFor(process.stderr).yellow(escapeLine(message))}\n`);
}
