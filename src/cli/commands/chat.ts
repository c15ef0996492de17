import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { Conversation } from '../chat/conversation.ts';
import { chooseModel } from '../choose-model.ts';
import { expenseTools } from '../demo/expense-tools.ts';
import type { ScriptedLanguage } from '../demo/questions.ts';
import { openSandbox, type SandboxName } from '../open-sandbox.ts';
import { colorsFor } from '../terminal.ts';
import { standardRunView } from '../view/run-view.ts';

export interface ChatCommandOptions {
  readonly sandbox: SandboxName;
  /** What the model writes its programs in. */
  readonly language: ScriptedLanguage;
  /** One conversation and one session for all questions; else each question has its own. */
  readonly session: boolean;
  readonly model?: string;
}

/**
 * Answers questions until the input ends. Returns the exit status.
 * @throws UsageError, and PtcError where no sandbox works.
 */
export async function chat(options: ChatCommandOptions): Promise<number> {
  const { dim } = colorsFor(process.stdout);
  const view = standardRunView();
  await using chosen = await chooseModel(options.model, options.language);
  process.stdout.write(`${dim('Model:')}   ${escapeLine(chosen.description)}\n`);
  await using sandbox = await openSandbox(options.sandbox, (message) => view.progress(message), [
    options.language,
  ]);
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools: new ToolRegistry(expenseTools),
    sandbox: sandbox.provider,
    languages: [options.language],
    mode: 'programmatic',
  });
  process.stdout.write(`${dim('Sandbox:')} ${escapeLine(sandbox.description)}\n`);
  const conversation = new Conversation({
    orchestrator,
    view,
    offline: chosen.offline,
    keepsSession: options.session,
  });
  return await conversation.hold();
}
