import { join } from 'node:path';
import type { Guest, InstalledGuest } from '../../../sandbox/guests/guest.ts';
import { guestsFor } from '../../../sandbox/guests/guests.ts';
import { RUNNER_DIRECTORY } from '../../../sandbox/runner-command.ts';
import type { ResourceLimits, SandboxSpec } from '../../../sandbox/sandbox.ts';
import type { SandboxFile } from './bwrap-arguments.ts';
import { describeProgram } from './installed-programs.ts';

/** The snapshot for one guest and one memory limit. */
interface SnapshotState {
  /** Identifies the installed program that the snapshot belongs to. */
  readonly program: string;
  making: Promise<void> | undefined;
  files: readonly SandboxFile[];
}

/**
 * Runs a command in a sandbox with these files, and returns its output. Undefined if it failed.
 * Never throws.
 */
export type RunWithFiles = (
  command: readonly string[],
  files: readonly SandboxFile[],
) => Promise<string | undefined>;

/**
 * The files of guests in sandboxes. To make a guest's snapshot takes longer than the snapshot saves
 * for one sandbox. So it is made while the second sandbox is started, and later sandboxes get it.
 */
export class GuestFiles {
  readonly #guests: readonly Guest[];
  readonly #run: RunWithFiles;
  readonly #describe: (program: string) => Promise<string>;
  /** Made once for each guest, so that it is quickly seen that two sandboxes have the same files. */
  readonly #installed: Map<InstalledGuest, readonly SandboxFile[]> = new Map();
  readonly #snapshots: Map<string, SnapshotState> = new Map();

  /** @param describe - Returns a text that changes if an interpreter is installed again. */
  constructor(
    guests: readonly Guest[],
    run: RunWithFiles,
    describe: (program: string) => Promise<string> = describeProgram,
  ) {
    this.#guests = guests;
    this.#run = run;
    this.#describe = describe;
  }

  /** The files for a sandbox, in `RUNNER_DIRECTORY`. */
  async filesFor({
    languages,
    limits,
  }: Pick<SandboxSpec, 'languages' | 'limits'>): Promise<readonly SandboxFile[]> {
    const files = guestsFor(this.#guests, languages).map(async ({ program, installed }) =>
      installed === undefined
        ? []
        : [
            ...this.#installedFiles(installed),
            ...(await this.#snapshot(program, installed, limits)),
          ],
    );
    return (await Promise.all(files)).flat();
  }

  /** Settles when no snapshot is being made any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#snapshots.values()].map(async ({ making }) => making));
  }

  #installedFiles(installed: InstalledGuest): readonly SandboxFile[] {
    const files = this.#installed.get(installed) ?? asFiles(installed.files);
    this.#installed.set(installed, files);
    return files;
  }

  async #snapshot(
    name: string,
    installed: InstalledGuest,
    limits: ResourceLimits,
  ): Promise<readonly SandboxFile[]> {
    if (installed.snapshot === undefined) return [];
    const key = `${name} ${limits.memoryBytes}`;
    const program = await this.#describe(name);
    const known = this.#snapshots.get(key);
    if (known?.program !== program) {
      // The first sandbox, or the first one after an update of the program, which cannot read the
      // snapshot of another version.
      this.#snapshots.set(key, { program, making: undefined, files: [] });
      return [];
    }
    known.making ??= this.#make(installed, limits).then((files) => void (known.files = files));
    return known.files;
  }

  async #make(installed: InstalledGuest, limits: ResourceLimits): Promise<readonly SandboxFile[]> {
    const { snapshot } = installed;
    const command = snapshot?.command(RUNNER_DIRECTORY, limits) ?? [];
    const printed = await this.#run(command, this.#installedFiles(installed));
    return printed === undefined ? [] : asFiles(snapshot?.files(printed, limits) ?? {});
  }
}

function asFiles(files: Readonly<Record<string, string | Buffer>>): SandboxFile[] {
  return Object.entries(files).map(([path, text]) => {
    const content = typeof text === 'string' ? Buffer.from(text) : text;
    const isProgram = content.subarray(0, 2).toString() === '#!';
    return { path: join(RUNNER_DIRECTORY, path), content, isProgram };
  });
}
