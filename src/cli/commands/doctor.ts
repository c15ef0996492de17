import {
  explainWeakness,
  loadProvider,
  PROVIDER_NAMES,
  type ProviderName,
  weaknessOf,
} from '../../providers/select-provider.ts';
import { SandboxExecutor } from '../../sessions/sandbox-executor.ts';
import { escapeControls, escapeLine } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import { watchInterruption } from '../interruption.ts';
import { packageVersion } from '../package-version.ts';
import { showProgress } from '../progress.ts';
import { colorsFor, type Colors } from '../terminal.ts';
import { formatDuration, wrap } from '../view/format.ts';
import { countOrphans } from './clean-sandboxes.ts';

/** Packages whose absence takes something away. */
const OPTIONAL_PACKAGES = ['deno', 'pyodide'] as const;

/** What came of trying a sandbox. */
type Trial =
  | {
      readonly works: true;
      readonly description: string;
      /** How long a program took, start to end. */ readonly time: string;
      readonly orphans: number;
      readonly weakness: ReturnType<typeof weaknessOf>;
    }
  | { readonly works: false; readonly reason: string; readonly remedy: string };

/** Runs a small program in each sandbox and prints what works here. Returns the exit status: 0 where one does. */
export async function doctor(): Promise<number> {
  using interruption = watchInterruption();
  const colors = colorsFor(process.stdout);
  printVersions(colors);
  let best: { readonly name: ProviderName; readonly weakness: number } | undefined;
  for (const name of PROVIDER_NAMES) {
    const trial = await tryProvider(name, interruption.signal);
    if (interruption.exitStatus !== undefined) return interruption.exitStatus;
    printTrial(name, trial, colors);
    if (trial.works && (best === undefined || trial.weakness < best.weakness)) {
      best = { name, weakness: trial.weakness };
    }
  }
  print(
    best === undefined
      ? colors.red('No sandbox works here. One of the remedies above is needed.')
      : `--sandbox auto takes ${colors.bold(best.name)}.`,
  );
  return best === undefined ? 1 : 0;
}

function printVersions(colors: Colors): void {
  printRow(colors, 'sandboxed-ptc', packageVersion('sandboxed-ptc') ?? 'unknown');
  printRow(colors, 'Node.js', process.versions.node);
  for (const name of OPTIONAL_PACKAGES) {
    const version = packageVersion(name);
    printRow(
      colors,
      name,
      version ?? colors.yellow('not installed; npm install without --omit=optional brings it'),
    );
  }
  print('');
}

function printTrial(name: ProviderName, trial: Trial, colors: Colors): void {
  if (trial.works) {
    const time = colors.dim(`print(6*7) gave 42 in ${trial.time}`);
    printRow(colors, name, `${colors.green('works')}  ${escapeLine(trial.description)}  ${time}`);
    if (trial.orphans > 0) {
      const remedy = 'sandboxed-ptc doctor --clean removes what dead processes left.';
      printRow(colors, '', `       ${colors.yellow(countOrphans(trial.orphans))}: ${remedy}`);
    }
    if (trial.weakness > 0) {
      const reason = `auto takes it only if no other works: ${explainWeakness(trial.weakness)}.`;
      printRow(colors, '', `       ${colors.yellow(indent(reason))}`);
    }
  } else {
    printRow(colors, name, `${colors.red('no')}     ${indent(trial.reason)}`);
    printRow(colors, '', `       ${colors.dim(indent(trial.remedy))}`);
  }
  print('');
}

/** Really runs a program: an engine that answers may still start nothing. */
async function tryProvider(name: ProviderName, signal: AbortSignal): Promise<Trial> {
  let prepared = '';
  const provider = await loadProvider(name, (message) => {
    prepared = ', preparation included';
    showProgress(message);
  });
  try {
    await using executor = new SandboxExecutor({ sandbox: provider });
    const availability = await provider.probe();
    if (!availability.usable) {
      const { reason, remedy } = availability;
      return { works: false, reason, remedy };
    }
    const started = performance.now();
    const result = await executor.execute('print(6*7)', { signal });
    if (result.stdout.trim() !== '42') {
      const reason = `the program gave ${JSON.stringify(result.stdout)} ${result.error?.message ?? ''}`;
      return { works: false, reason, remedy: 'DEBUG=sandboxed-ptc may tell more.' };
    }
    const time = `${formatDuration(performance.now() - started)}${prepared}`;
    const found = (await provider.findSandboxes?.()) ?? [];
    const orphans = found.filter(({ verdict }) => verdict === 'orphan').length;
    const weakness = weaknessOf(availability);
    return { works: true, description: availability.description, time, orphans, weakness };
  } catch (error) {
    return { works: false, reason: messageOf(error), remedy: '' };
  } finally {
    await provider.close();
  }
}

const LABEL_WIDTH = 15;

/** Where the words after `works` or `no` begin. */
const VERDICT_INDENT = LABEL_WIDTH + 'works  '.length;

function printRow(colors: Colors, label: string, value: string): void {
  print(`${colors.bold(label.padEnd(LABEL_WIDTH))}${value}`);
}

/** Keeps further lines under the first one. */
function indent(text: string): string {
  return wrap(escapeControls(text), process.stdout.columns ?? 100, VERDICT_INDENT);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
