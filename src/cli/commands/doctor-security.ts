import type { SandboxProvider } from '../../sandbox/sandbox.ts';
import { unlessAborted } from '../../shared/async/abort.ts';
import { escapeControls } from '../../shared/control-characters.ts';
import { watchInterruption } from '../interruption.ts';
import { openProvider, type ProviderOption } from '../open-provider.ts';
import { showProgress } from '../progress.ts';
import { loadProviderModule } from '../modules/provider-module.ts';
import { examine, type Examination } from '../security/examine.ts';
import { setHostVariable } from '../security/host-variable.ts';
import type { SecurityRow } from '../security/rows.ts';
import { colorsFor, jsonFor, type Colors } from '../terminal/terminal.ts';
import { formatTable, wrap } from '../view/format.ts';

export interface DoctorSecurityOptions {
  readonly provider: ProviderOption | { readonly module: string };
  /** Prints the result as one JSON object, and nothing else. */
  readonly json: boolean;
}

const HEADINGS = ['protection', 'asked for', 'reported', 'observed inside', 'verdict'] as const;

/**
 * Starts a session and prints its protections: what was requested, what the provider reports, and
 * what a program observes inside. Returns the exit status: 1 if a protection is missing or not known.
 * @throws UsageError if the module has no provider; PtcError `SANDBOX_UNAVAILABLE`, and as `SandboxExecutor.execute`.
 */
export async function doctorSecurity({
  provider: wanted,
  json,
}: DoctorSecurityOptions): Promise<number> {
  using interruption = watchInterruption();
  // A provider may copy the environment when it is made.
  using _ = setHostVariable();
  try {
    const { signal } = interruption;
    const choice = typeof wanted === 'string' ? wanted : await loadUnlessAborted(wanted, signal);
    await using opened = await openProvider(choice, showProgress, [], signal);
    const { provider, description } = opened;
    const examination = await examine(provider, signal);
    const { rows, failure } = examination;
    const holds = failure === undefined && rows.every(({ verdict }) => verdict === 'holds');
    if (json) {
      const found = { provider: provider.name, description, holds, ...examination };
      print(jsonFor(process.stdout, found));
    } else printExamination(description, examination, colorsFor(process.stdout));
    return holds ? 0 : 1;
  } catch (error) {
    if (interruption.exitStatus !== undefined) return interruption.exitStatus;
    throw error;
  }
}

/** @throws UsageError as `loadProviderModule`; PtcError `ABORTED`. */
async function loadUnlessAborted(
  { module }: { readonly module: string },
  signal: AbortSignal,
): Promise<SandboxProvider> {
  return unlessAborted(loadProviderModule(module), signal, 'The loading of the module');
}

function printExamination(
  description: string,
  { rows, notes, failure }: Examination,
  colors: Colors,
): void {
  print(colors.bold(escapeControls(description)));
  print('');
  const [headings = '', ...lines] = formatTable([HEADINGS, ...rows.map(cells)]);
  print(colors.dim(headings));
  for (const [index, line] of lines.entries()) {
    print(rows[index]?.verdict === 'holds' ? line : colors.red(line));
  }
  print('');
  for (const note of notes) printParagraph(colors.yellow('note:'), note);
  if (failure !== undefined) printParagraph(colors.red('error:'), failure);
  const names = (wanted: SecurityRow['verdict']): string =>
    rows.flatMap(({ name, verdict }) => (verdict === wanted ? [name] : [])).join(', ');
  const [missing, unknown] = [names('missing'), names('unknown')];
  if (missing !== '') print(colors.red(`Missing: ${missing}.`));
  if (unknown !== '') print(colors.red(`Not known: ${unknown}.`));
  if (missing === '' && unknown === '' && failure === undefined) {
    print(colors.green('All protections are in place.'));
  }
}

function cells({ name, verdict, asked, applied, seen }: SecurityRow): string[] {
  return [name, asked, applied, seen, verdict].map(escapeControls);
}

function printParagraph(label: string, text: string): void {
  print(`${label} ${wrap(escapeControls(text), process.stdout.columns ?? 100, 6)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
