import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import type { SandboxChoice } from '../../providers/select-provider.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { Conversation } from '../chat/conversation.ts';
import { chooseModel } from '../choose-model.ts';
import { expenseTools } from '../demo/expense-tools.ts';
import { TEAM_EXPENSE_QUESTION } from '../demo/questions.ts';
import { watchInterruption } from '../interruption.ts';
import { isAborted } from '../failure.ts';
import { showProgress } from '../progress.ts';
import { colorsFor } from '../terminal.ts';
import { RunView } from '../view/run-view.ts';
import { summary } from '../view/summary.ts';

export interface DemoCommandOptions {
  readonly sandbox: SandboxChoice;
  /** Goes on with questions of the user's own. */
  readonly interactive: boolean;
  readonly model?: string;
}

const write = (text: string): void => void process.stdout.write(text);

/**
 * Has a model analyse the expenses of a team, and shows how. Returns the exit status.
 * @throws UsageError, and PtcError as `ProgrammaticToolOrchestrator.run`.
 */
export async function demo(options: DemoCommandOptions): Promise<number> {
  const colors = colorsFor(process.stdout);
  await using chosen = await chooseModel(options.model);
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools: new ToolRegistry(expenseTools),
    sandbox: options.sandbox,
    mode: 'programmatic',
    onProgress: showProgress,
  });
  const { question } = TEAM_EXPENSE_QUESTION;
  write(`${colors.dim('Model:')} ${chosen.description}\n`);
  const sandbox = await orchestrator.sandboxName();
  write(`\n${colors.bold(`> ${question}`)}\n\n`);
  const view = new RunView({ write, colors, columns: process.stdout.columns ?? 80 });
  {
    using interruption = watchInterruption();
    try {
      const result = await orchestrator.run(question, {
        signal: interruption.signal,
        onEvent: (event) => view.show(event),
      });
      write(summary({ result, sandbox, model: chosen.description, colors }));
    } catch (error) {
      view.end();
      if (interruption.exitStatus !== undefined && isAborted(error)) return interruption.exitStatus;
      throw error;
    }
  }
  if (!options.interactive) return 0;
  write('\n');
  return await new Conversation({
    orchestrator,
    offline: chosen.offline,
    keepsSession: true,
  }).hold();
}
