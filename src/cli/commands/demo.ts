import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import { mockTools } from '../chat/chat-tools.ts';
import { Conversation } from '../chat/conversation.ts';
import { chooseModel } from '../choose-model.ts';
import { TEAM_EXPENSE_QUESTION, type ScriptedLanguage } from '../demo/questions.ts';
import { watchInterruption } from '../interruption.ts';
import { isAborted } from '../failure.ts';
import { openProvider, type ProviderOption } from '../open-provider.ts';
import { colorsFor } from '../terminal/terminal.ts';
import { standardRunView } from '../view/run-view.ts';
import { wrap } from '../view/format.ts';
import { headerLine } from '../view/header.ts';
import { summary } from '../view/summary.ts';

export interface DemoCommandOptions {
  readonly provider: ProviderOption;
  /** The language of the model's programs. */
  readonly language: ScriptedLanguage;
  /** Whether the user can ask further questions afterwards. */
  readonly interactive: boolean;
  readonly model?: string;
}

const write = (text: string): void => void process.stdout.write(text);

/**
 * Lets a model analyse the expenses of a team, and shows how it does that. Returns the exit status.
 * @throws UsageError, and PtcError as `ProgrammaticToolOrchestrator.run`.
 */
export async function demo(options: DemoCommandOptions): Promise<number> {
  const colors = colorsFor(process.stdout);
  const view = standardRunView();
  const tools = mockTools();
  const chosen = await chooseModel(options.model, options.language);
  write(headerLine('Model', chosen.description));
  await using sandbox = await openProvider(options.provider, (message) => view.progress(message), [
    options.language,
  ]);
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools: tools.registry,
    executor: { provider: sandbox.provider },
    languages: [options.language],
  });
  const { question } = TEAM_EXPENSE_QUESTION;
  write(headerLine('Sandbox', sandbox.description));
  write(`\n${colors.bold(`> ${wrap(question, process.stdout.columns || 80, 2)}`)}\n\n`);
  {
    using interruption = watchInterruption();
    try {
      const result = await orchestrator.run(question, {
        signal: interruption.signal,
        onEvent: (event) => view.show(event),
      });
      write(summary({ result, sandbox: sandbox.description, model: chosen.name, colors }));
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
    view,
    offline: chosen.offline,
    keepsSession: true,
    invitation: tools.invitation,
  }).hold();
}
