import {
  assessProvider,
  explainWeakness,
  loadForAuto,
  loadProvider,
  namesForAuto,
  type ProviderName,
  weaknessOf,
} from '../../providers/select-provider.ts';
import { LANGUAGES } from '../../languages/languages.ts';
import { describeSoftware } from '../../orchestrator/code/software/software-text.ts';
import { SandboxExecutor } from '../../sessions/sandbox-executor.ts';
import { escapeControls, escapeLine } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import type { ProviderOption } from '../open-provider.ts';
import { watchInterruption } from '../interruption.ts';
import { packageVersion } from '../package-version.ts';
import { showProgress } from '../progress.ts';
import { colorsFor, type Colors } from '../terminal/terminal.ts';
import { formatDuration, wrap } from '../view/format.ts';
import { countOrphans } from './clean-sandboxes.ts';

/** Packages without which some features are missing. */
const OPTIONAL_PACKAGES = ['deno', 'pyodide'] as const;

/** The result of trying a provider. */
type Trial = Success | Failure;

interface Success {
  readonly works: true;
  readonly description: string;
  /** How long it took to start a sandbox and run a program. */ readonly time: string;
  readonly orphans: number;
  /** The interpreters and libraries that programs find: a line for each. */
  readonly software: string;
  readonly weakness: Weakness;
}

interface Failure {
  readonly works: false;
  readonly reason: string;
  readonly remedy: string;
  /**
   * Why `auto` would prefer another provider, determined without running a program; undefined if
   * `auto` cannot choose it.
   */
  readonly weakness: Weakness | undefined;
}

type Weakness = ReturnType<typeof weaknessOf>;

/** The provider that `auto` chooses. */
interface Choice {
  readonly name: ProviderName;
  readonly weakness: Weakness;
  readonly works: boolean;
}

/**
 * Runs a small program with each provider, and prints what works on this machine and what `auto`
 * chooses. Prepares what a provider needs for its first program, such as an image, and shows the
 * progress. Returns the exit status: 0 if programs run with the provider that `auto` chooses, or
 * with the one that is named.
 * @param provider - `auto` for each that it may choose.
 */
export async function doctor(provider: ProviderOption): Promise<number> {
  using interruption = watchInterruption();
  const colors = colorsFor(process.stdout);
  printVersions(colors);
  if (provider !== 'auto') {
    const trial = await tryProvider(provider, interruption.signal, loadProvider);
    if (interruption.exitStatus !== undefined) return interruption.exitStatus;
    printTrial(provider, trial, colors);
    return trial.works ? 0 : 1;
  }
  let choice: Choice | undefined;
  for (const name of namesForAuto()) {
    const trial = await tryProvider(name, interruption.signal, loadForAuto);
    if (interruption.exitStatus !== undefined) return interruption.exitStatus;
    printTrial(name, trial, colors);
    const { works, weakness } = trial;
    if (weakness !== undefined && (choice === undefined || weakness < choice.weakness)) {
      choice = { name, weakness, works };
    }
  }
  print(describeChoice(choice, colors));
  return choice?.works === true ? 0 : 1;
}

function describeChoice(choice: Choice | undefined, colors: Colors): string {
  if (choice === undefined) {
    return colors.red('No provider works on this machine. Apply one of the remedies above.');
  }
  if (choice.works) return `--provider auto chooses ${colors.bold(choice.name)}.`;
  return colors.red(
    `--provider auto chooses ${choice.name}, which cannot start a sandbox. Fix the cause above, or name another provider.`,
  );
}

function printVersions(colors: Colors): void {
  printRow(colors, 'sandboxed-ptc', packageVersion('sandboxed-ptc') ?? 'unknown');
  printRow(colors, 'Node.js', process.versions.node);
  for (const name of OPTIONAL_PACKAGES) {
    const version = packageVersion(name);
    printRow(
      colors,
      name,
      version ?? colors.yellow('not installed; run npm install without --omit=optional'),
    );
  }
  print('');
}

function printTrial(name: ProviderName, trial: Trial, colors: Colors): void {
  if (trial.works) {
    const time = colors.dim(`print(6*7) gave 42 in ${trial.time}`);
    printRow(colors, name, `${colors.green('works')}  ${escapeLine(trial.description)}  ${time}`);
    for (const line of trial.software.split('\n').filter(Boolean)) {
      printRow(colors, '', `       ${indent(line)}`);
    }
    if (trial.orphans > 0) {
      const remedy = 'sandboxed-ptc doctor --clean removes them.';
      printRow(colors, '', `       ${colors.yellow(countOrphans(trial.orphans))}: ${remedy}`);
    }
    if (trial.weakness > 0) {
      const reason = `auto chooses it only if no other provider works: ${explainWeakness(trial.weakness)}.`;
      printRow(colors, '', `       ${colors.yellow(indent(reason))}`);
    }
  } else {
    printRow(colors, name, `${colors.red('no')}     ${indent(trial.reason)}`);
    if (trial.remedy !== '') printRow(colors, '', `       ${colors.dim(indent(trial.remedy))}`);
  }
  print('');
}

/**
 * Runs a real program: a provider that has everything it needs may still fail to start sandboxes.
 */
async function tryProvider(
  name: ProviderName,
  signal: AbortSignal,
  load: typeof loadProvider,
): Promise<Trial> {
  let prepared = '';
  const provider = await load(name, (message) => {
    prepared = ', preparation included';
    showProgress(message);
  });
  // Like `auto`, which tries the next provider only if an engine is the cause.
  let weakness: Weakness | undefined = 0;
  try {
    await using executor = new SandboxExecutor({ provider });
    const availability = await assessProvider(provider, { signal });
    if (!availability.usable) {
      const { reason, remedy } = availability;
      return { works: false, reason, remedy, weakness: undefined };
    }
    weakness = weaknessOf(availability);
    prepared = '';
    const started = performance.now();
    const result = await executor.execute('print(6*7)', { signal });
    if (result.stdout.trim() !== '42') {
      const reason = `the program printed ${JSON.stringify(result.stdout)} ${result.error?.message ?? ''}`;
      return { works: false, reason, remedy: 'DEBUG=sandboxed-ptc shows more details.', weakness };
    }
    const time = `${formatDuration(performance.now() - started)}${prepared}`;
    const found = (await provider.findSandboxes?.()) ?? [];
    const orphans = found.filter(({ verdict }) => verdict === 'orphan').length;
    const known = await provider.software?.({ signal }).catch(() => undefined);
    const software = describeSoftware(SHOWN_LANGUAGES, known);
    return {
      works: true,
      description: availability.description,
      time,
      orphans,
      software,
      weakness,
    };
  } catch (error) {
    return { works: false, reason: messageOf(error), remedy: '', weakness };
  } finally {
    await provider.close();
  }
}

/** One language for each interpreter. */
const SHOWN_LANGUAGES = [LANGUAGES.python, LANGUAGES.javascript, LANGUAGES.bash];

const LABEL_WIDTH = 15;

/** The column after `works` or `no`. */
const VERDICT_INDENT = LABEL_WIDTH + 'works  '.length;

function printRow(colors: Colors, label: string, value: string): void {
  print(`${colors.bold(label.padEnd(LABEL_WIDTH))}${value}`);
}

/** Aligns further lines with the first one. */
function indent(text: string): string {
  return wrap(escapeControls(text), process.stdout.columns ?? 100, VERDICT_INDENT);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
