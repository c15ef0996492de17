import { loadForAuto, namesForAuto } from '../../providers/select-provider.ts';
import type { FoundSandbox, SandboxProvider, SandboxVerdict } from '../../sandbox/sandbox.ts';
import { escapeControls, escapeLine } from '../../shared/control-characters.ts';
import { messageOf } from '../../shared/errors.ts';
import { removeDeadNames } from '../../shared/held-names/name-files.ts';
import { colorsFor, type Colors } from '../terminal/terminal.ts';
import { formatAge, formatTable } from '../view/format.ts';

const HEADINGS = ['id', 'session', 'owner', 'age', 'state', 'verdict'] as const;
const ID_LENGTH = 12;

/**
 * Lists the sandboxes of each engine, removes orphans and the files of dead processes, and prints
 * how many. Returns the exit status: 1 if one of these could not be done.
 */
export async function cleanSandboxes(): Promise<number> {
  const colors = colorsFor(process.stdout);
  let failures = 0;
  const report = (name: string, { sentence, failed }: Cleaned): void => {
    print(`${colors.bold(name)}: ${sentence}`);
    if (failed) failures += 1;
  };
  for (const name of namesForAuto()) {
    report(name, await cleanProvider(await loadForAuto(name), colors));
  }
  report('names', await cleanNames(colors));
  return failures === 0 ? 0 : 1;
}

/** What became of one part of the cleaning. */
interface Cleaned {
  /** A sentence about what was removed, or why that failed. */
  readonly sentence: string;
  readonly failed: boolean;
}

async function attempt(clean: () => Promise<string>, colors: Colors): Promise<Cleaned> {
  try {
    return { sentence: await clean(), failed: false };
  } catch (error) {
    return { sentence: colors.red(escapeControls(messageOf(error))), failed: true };
  }
}

/** The number of orphans, as part of a sentence. */
export function countOrphans(count: number): string {
  return count === 1 ? '1 orphaned sandbox' : `${count} orphaned sandboxes`;
}

/** Removes the files with which dead processes held names. */
async function cleanNames(colors: Colors): Promise<Cleaned> {
  return attempt(async () => {
    const removed = await removeDeadNames();
    if (removed === 0) return 'no files of dead processes.';
    return colors.green(removed === 1 ? '1 file removed.' : `${removed} files removed.`);
  }, colors);
}

/** Prints the sandboxes of a provider, and closes it. An engine that cannot be used is not a failure. */
export async function cleanProvider(provider: SandboxProvider, colors: Colors): Promise<Cleaned> {
  return attempt(async () => {
    try {
      return await removeOrphans(provider, colors);
    } finally {
      await provider.close();
    }
  }, colors);
}

async function removeOrphans(provider: SandboxProvider, colors: Colors): Promise<string> {
  if (provider.findSandboxes === undefined || provider.removeOrphans === undefined) {
    return 'its sandboxes end with their process, so there is nothing to clean.';
  }
  const availability = await provider.probe();
  if (!availability.usable) return escapeControls(availability.reason);
  const found = await provider.findSandboxes();
  if (found.length > 0) {
    for (const row of formatTable([HEADINGS, ...found.map(describeSandbox)])) print(row);
  }
  const orphans = found.filter(({ verdict }) => verdict === 'orphan');
  // A provider may find more of them when it has watched their owners for a while. It also removes what
  // else dead owners left, such as Leases.
  const removed = await provider.removeOrphans();
  if (found.length === 0 && removed.length === 0) return 'no sandboxes.';
  if (orphans.length === 0 && removed.length === 0) return 'no orphans.';
  return describeRemoval(orphans, removed, colors);
}

function describeRemoval(
  orphans: readonly FoundSandbox[],
  removed: readonly FoundSandbox[],
  colors: Colors,
): string {
  const gone = colors.green(`${countOrphans(removed.length)} removed.`);
  const left = orphans.length - removed.length;
  // Another process removes them at the same time, or the engine is slow.
  return left > 0 ? `${gone} ${countOrphans(left)} not removed. Run the command again.` : gone;
}

const VERDICTS: Readonly<Record<SandboxVerdict, string>> = {
  live: 'live',
  orphan: 'orphan',
  persistent: 'persistent',
  foreign: 'another machine’s',
};

function describeSandbox(found: FoundSandbox): string[] {
  const { id, sessionId, owner, createdAtMs, state, verdict } = found;
  return [
    escapeLine(id.slice(0, ID_LENGTH)),
    escapeLine(sessionId),
    describeOwner(found),
    formatAge(Date.now() - createdAtMs),
    escapeLine(state),
    owner === undefined && verdict === 'foreign' ? 'unknown' : VERDICTS[verdict],
  ];
}

function describeOwner({ owner, verdict }: FoundSandbox): string {
  if (owner === undefined) return 'unknown';
  const elsewhere = verdict === 'foreign' ? ` on ${owner.machine}` : '';
  return escapeLine(`pid ${owner.processId}${elsewhere}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
