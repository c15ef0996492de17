import { ProgrammaticToolOrchestrator } from '../../orchestrator/orchestrator.ts';
import { Conversation } from '../chat/conversation.ts';
import { chooseModel } from '../choose-model.ts';
import type { ScriptedLanguage } from '../demo/questions.ts';
import type { ScenarioName } from '../demo/scenario-names.ts';
import { openScenario } from '../demo/scenarios.ts';
import { watchInterruption, type Interruption } from '../interruption.ts';
import { isAborted, UsageError } from '../failure.ts';
import { openProvider, type ProviderOption } from '../open-provider.ts';
import { Produced } from '../produced/produced.ts';
import { colorsFor } from '../terminal/terminal.ts';
import { followRun } from '../view/follow-run.ts';
import { standardRunView, type RunView } from '../view/run-view.ts';
import { wrap } from '../view/format.ts';
import { headerLine } from '../view/header.ts';
import { summary } from '../view/summary.ts';

export interface DemoCommandOptions {
  readonly scenario: ScenarioName;
  readonly provider: ProviderOption;
  /** The language of the model's programs. */
  readonly language: ScriptedLanguage;
  /** Whether the user can ask further questions afterwards. */
  readonly interactive: boolean;
  readonly model?: string;
  /** The directory in which the files and images of programs are saved. @default none are saved */
  readonly output?: string;
}

const write = (text: string): void => void process.stdout.write(text);

/**
 * Lets a model answer the question of a scenario, and shows how it does that. Returns the exit status.
 * @throws UsageError, and PtcError as `ProgrammaticToolOrchestrator.run`.
 */
export async function demo(options: DemoCommandOptions): Promise<number> {
  // Until the sandbox is closed: a signal must not end the process before that.
  using interruption = watchInterruption();
  const view = standardRunView();
  try {
    const status = await hold(options, view, interruption);
    return interruption.exitStatus ?? status;
  } catch (error) {
    view.end();
    if (interruption.exitStatus !== undefined && isAborted(error)) return interruption.exitStatus;
    throw error;
  }
}

async function hold(
  options: DemoCommandOptions,
  view: RunView,
  interruption: Interruption,
): Promise<number> {
  const colors = colorsFor(process.stdout);
  const { signal } = interruption;
  const { tools, questions, languages, invitation, fileCharacters } = openScenario(
    options.scenario,
  );
  if (!languages.includes(options.language)) {
    throw new UsageError(
      `--scenario ${options.scenario} has no programs in ${options.language}. Use --language ${languages.join(' or ')}.`,
    );
  }
  const produced = await Produced.in(options.output);
  const chosen = await chooseModel(options.model, { language: options.language, questions });
  write(headerLine('Model', chosen.description));
  const onProgress = (message: string): void => view.progress(message);
  await using sandbox = await openProvider(
    options.provider,
    onProgress,
    [options.language],
    signal,
  );
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: chosen.model,
    tools,
    executor: { provider: sandbox.provider },
    languages: [options.language],
  });
  const [{ question }] = questions;
  write(headerLine('Sandbox', sandbox.description));
  write(`\n${colors.bold(`> ${wrap(question, process.stdout.columns || 80, 2)}`)}\n\n`);
  const result = await orchestrator.run(question, { signal, onEvent: followRun(view, produced) });
  write(
    summary({
      result,
      sandbox: sandbox.description,
      model: chosen.name,
      colors,
      fileCharacters: fileCharacters(),
    }),
  );
  if (!options.interactive) return produced.isIncomplete ? 1 : 0;
  write('\n');
  return await new Conversation({
    interruption,
    orchestrator,
    view,
    produced,
    scripted: chosen.offline ? questions : undefined,
    keepsSession: true,
    invitation,
  }).hold();
}
