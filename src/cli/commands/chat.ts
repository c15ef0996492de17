import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import { mockTools, nameTools, toolsOfModule } from '../chat/chat-tools.ts';
import { Conversation } from '../chat/conversation.ts';
import { ResumableConversation } from '../chat/resumable-conversation.ts';
import { chooseModel } from '../choose-model.ts';
import type { ScriptedLanguage } from '../demo/questions.ts';
import { UsageError } from '../failure.ts';
import { watchInterruption } from '../interruption.ts';
import { openProvider, type ProviderOption } from '../open-provider.ts';
import { headerLine } from '../view/header.ts';
import { standardRunView } from '../view/run-view.ts';

export interface ChatCommandOptions {
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
  readonly model?: string;
  /** The path of a module whose default export is an array of tools. @default the mock data */
  readonly tools?: string;
}

/**
 * Answers questions until the input ends. Returns the exit status.
 * @throws UsageError, and PtcError if no sandbox works.
 */
export async function chat(options: ChatCommandOptions): Promise<number> {
  const view = standardRunView();
  const tools = options.tools === undefined ? mockTools() : await toolsOfModule(options.tools);
  const opened = options.resume === undefined ? undefined : await openKept(options.resume);
  if (typeof opened === 'number') return opened;
  await using kept = opened;
  const chosen = await chooseModel(options.model, options.language);
  if (options.tools !== undefined && chosen.offline) {
    throw new UsageError(
      `--tools ${options.tools} needs a real model, because the scripted model knows only questions about the mock data. Set ANTHROPIC_API_KEY or AWS credentials, or set OPENAI_API_KEY or OPENAI_BASE_URL and add --model NAME.`,
    );
  }
  process.stdout.write(headerLine('Model', chosen.description));
  await using sandbox = await openProvider(options.provider, (message) => view.progress(message), [
    options.language,
  ]);
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools: tools.registry,
    executor: { provider: sandbox.provider },
    languages: [options.language],
    ...(kept && { store: kept }),
  });
  process.stdout.write(headerLine('Sandbox', sandbox.description));
  process.stdout.write(headerLine('Tools', nameTools(tools)));
  if (kept !== undefined) process.stdout.write(kept.recall);
  const conversation = new Conversation({
    orchestrator,
    view,
    offline: chosen.offline,
    keepsSession: options.session || kept !== undefined,
    invitation: tools.invitation,
  });
  return await conversation.hold();
}

/**
 * Returns the exit status if the user interrupts while another process uses the conversation.
 * @throws UsageError
 */
async function openKept(path: string): Promise<ResumableConversation | number> {
  using interruption = watchInterruption();
  try {
    return await ResumableConversation.open(path, interruption.signal);
  } catch (error) {
    if (interruption.exitStatus === undefined) throw error;
    return interruption.exitStatus;
  }
}
