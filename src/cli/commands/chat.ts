import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import type { SandboxChoice } from '../../providers/select-provider.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { Conversation } from '../chat/conversation.ts';
import { chooseModel } from '../choose-model.ts';
import { expenseTools } from '../demo/expense-tools.ts';
import { showProgress } from '../progress.ts';
import { colorsFor } from '../terminal.ts';

export interface ChatCommandOptions {
  readonly sandbox: SandboxChoice;
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
  await using chosen = await chooseModel(options.model);
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools: new ToolRegistry(expenseTools),
    sandbox: options.sandbox,
    mode: 'programmatic',
    onProgress: showProgress,
  });
  process.stdout.write(`${dim('Model:')}   ${chosen.description}\n`);
  process.stdout.write(`${dim('Sandbox:')} ${await orchestrator.sandboxName()}\n`);
  const conversation = new Conversation({
    orchestrator,
    offline: chosen.offline,
    keepsSession: options.session,
  });
  return await conversation.hold();
}
