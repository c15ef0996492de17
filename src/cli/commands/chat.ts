import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import { given } from '../../shared/given.ts';
import { terminalPolicy } from '../approvals/terminal-policy.ts';
import { chatTools, nameTools, type ChatTools } from '../chat/chat-tools.ts';
import { checkFiles } from '../chat/check-files.ts';
import { Conversation } from '../chat/conversation.ts';
import { ResumableConversation } from '../chat/resumable-conversation.ts';
import { chooseModel } from '../choose-model.ts';
import { SCRIPTED_QUESTIONS } from '../demo/questions.ts';
import type { ScriptedLanguage } from '../demo/questions.ts';
import { isAborted, UsageError } from '../failure.ts';
import type { GivenTools, ToolOptions } from '../modules/given-tools.ts';
import { watchInterruption, type Interruption } from '../interruption.ts';
import { connectServers, type ConnectedTools } from '../mcp/connect-servers.ts';
import { openProvider, type ProviderOption } from '../open-provider.ts';
import { Produced } from '../produced/produced.ts';
import type { LineReader } from '../terminal/line-reader.ts';
import { headerLine } from '../view/header.ts';
import { standardRunView, type RunView } from '../view/run-view.ts';

export interface ChatCommandOptions extends ToolOptions {
  readonly provider: ProviderOption;
  /** The language of the model's programs. */
  readonly language: ScriptedLanguage;
  /** Whether all questions share one conversation and one session. Otherwise each has its own. */
  readonly session: boolean;
  /**
   * The path of the file in which that conversation is kept and from which it continues. @default
   * none
   */
  readonly resume?: string;
  /** The paths of files that programs get. */
  readonly file: readonly string[];
  readonly model?: string;
  /** The directory in which the files and images of programs are saved. @default none are saved */
  readonly output?: string;
}

/**
 * Answers questions until the input ends. Returns the exit status.
 * @throws UsageError, and PtcError if no sandbox works.
 */
export async function chat(options: ChatCommandOptions): Promise<number> {
  const view = standardRunView();
  const produced = await Produced.in(options.output);
  const tools = await chatTools(options);
  await checkFiles(options.file);
  // Until all that is opened from here on is closed: a signal must not end the process before that.
  using interruption = watchInterruption();
  try {
    const status = await hold(options, { tools, produced, view, interruption });
    return interruption.exitStatus ?? status;
  } catch (error) {
    const { exitStatus, signal } = interruption;
    if (exitStatus !== undefined && (isAborted(error) || error === signal.reason)) {
      return exitStatus;
    }
    throw error;
  }
}

/** The parts of a chat that need not be closed, and the watch for signals. */
interface ChatParts {
  readonly tools: ChatTools;
  readonly produced: Produced;
  readonly view: RunView;
  readonly interruption: Interruption;
}

async function hold(
  options: ChatCommandOptions,
  { tools, produced, view, interruption }: ChatParts,
): Promise<number> {
  const { signal } = interruption;
  await using kept =
    options.resume === undefined
      ? undefined
      : await ResumableConversation.open(options.resume, signal);
  const chosen = await chooseModel(options.model, {
    language: options.language,
    questions: SCRIPTED_QUESTIONS,
  });
  const needing = needingModel(options);
  if (chosen.offline && needing !== undefined) {
    throw new UsageError(
      `${needing} needs a real model, because the scripted model knows only questions about the mock data. Set ANTHROPIC_API_KEY or AWS credentials, or set OPENAI_API_KEY or OPENAI_BASE_URL and add --model NAME.`,
    );
  }
  process.stdout.write(headerLine('Model', chosen.description));
  const onProgress = (message: string): void => view.progress(message);
  await using sandbox = await openProvider(
    options.provider,
    onProgress,
    [options.language],
    signal,
  );
  await using connected = await connect(tools, interruption);
  if (connected === undefined) return interruption.exitStatus ?? 1;
  const terminal: { reader?: LineReader } = {};
  const policy = terminalPolicy(tools.policy, {
    reader: () => terminal.reader,
    output: process.stdout,
    onAsk: () => view.end(),
  });
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools: connected.registry,
    executor: { provider: sandbox.provider },
    languages: [options.language],
    ...given({ policy }),
    ...(kept && { store: kept }),
  });
  process.stdout.write(headerLine('Sandbox', sandbox.description));
  process.stdout.write(headerLine('Tools', nameTools(tools)));
  if (kept !== undefined) process.stdout.write(kept.recall);
  const conversation = new Conversation({
    interruption,
    orchestrator,
    view,
    produced,
    scripted: chosen.offline ? SCRIPTED_QUESTIONS : undefined,
    keepsSession: options.session || kept !== undefined,
    files: options.file,
    invitation: tools.invitation,
    onReader: (reader) => {
      terminal.reader = reader;
    },
  });
  return await conversation.hold();
}

/** The option of which a scripted model can make nothing; undefined if there is none. */
function needingModel({ tools, mcp, file: [path] }: ChatCommandOptions): string | undefined {
  if (tools !== undefined) return `--tools ${tools}`;
  if (mcp !== undefined) return `--mcp ${mcp}`;
  return path === undefined ? undefined : `--file ${path}`;
}

/** Undefined if the user interrupts. @throws PtcError as `connectServers`. */
async function connect(
  tools: GivenTools,
  { signal }: Interruption,
): Promise<ConnectedTools | undefined> {
  try {
    return await connectServers(tools, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
