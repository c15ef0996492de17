import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import { mockTools } from '../chat/chat-tools.ts';
import { Conversation } from '../chat/conversation.ts';
import { chooseModel } from '../choose-model.ts';
import { TEAM_EXPENSE_QUESTION, type ScriptedLanguage } from '../demo/questions.ts';
import { watchInterruption } from '../interruption.ts';
import { isAborted } from '../failure.ts';
import { openSandbox, type SandboxName } from '../open-sandbox.ts';
import { colorsFor } from '../terminal.ts';
import { standardRunView } from '../view/run-view.ts';
import { wrap } from '../view/format.ts';
import { headerLine } from '../view/header.ts';
import { summary } from '../view/summary.ts';

export interface DemoCommandOptions {
  readonly sandbox: SandboxName;
  /** What the model writes its programs in. */
  readonly language: ScriptedLanguage;
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
  const view = standardRunView();
  const tools = mockTools();
  await using chosen = await chooseModel(options.model, options.language);
  write(headerLine('Model', chosen.description));
  await using sandbox = await openSandbox(options.sandbox, (message) => view.progress(message), [
    options.language,
  ]);
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools: tools.registry,
    sandbox: sandbox.provider,
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
