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
  made: StartFiles | undefined;
}

/** A snapshot's files, and the command that starts the guest from them. */
interface StartFiles {
  readonly files: readonly SandboxFile[];
  readonly command: readonly string[];
}

/** What a sandbox starts with. */
export interface GuestsWithFiles {
  readonly guests: readonly Guest[];
  /** Their files, in `RUNNER_DIRECTORY`. */
  readonly files: readonly SandboxFile[];
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

  /** The guests of a sandbox, each as it starts there, and their files. */
  async guestsFor({
    languages,
    limits,
  }: Pick<SandboxSpec, 'languages' | 'limits'>): Promise<GuestsWithFiles> {
    const guests = guestsFor(this.#guests, languages).map(async (guest) => {
      const { program, installed } = guest;
      if (installed === undefined) return { guest, files: [] };
      const files = this.#installedFiles(installed);
      const made = await this.#snapshot(program, installed, limits);
      if (made === undefined) return { guest, files };
      const started = { ...guest, installed: { ...installed, command: () => made.command } };
      return { guest: started, files: [...files, ...made.files] };
    });
    const all = await Promise.all(guests);
    return { guests: all.map(({ guest }) => guest), files: all.flatMap(({ files }) => files) };
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
  ): Promise<StartFiles | undefined> {
    if (installed.snapshot === undefined) return undefined;
    const key = `${name} ${limits.memoryBytes}`;
    const program = await this.#describe(name);
    const known = this.#snapshots.get(key);
    if (known?.program !== program) {
      // The first sandbox, or the first one after an update of the program, which cannot read the
      // snapshot of another version.
      this.#snapshots.set(key, { program, making: undefined, made: undefined });
      return undefined;
    }
    known.making ??= this.#make(installed, limits).then((made) => void (known.made = made));
    return known.made;
  }

  async #make(installed: InstalledGuest, limits: ResourceLimits): Promise<StartFiles | undefined> {
    const { snapshot } = installed;
    if (snapshot === undefined) return undefined;
    const command = snapshot.command(RUNNER_DIRECTORY, limits);
    const printed = await this.#run(command, this.#installedFiles(installed));
    if (printed === undefined) return undefined;
    const made = snapshot.read(printed, RUNNER_DIRECTORY, limits);
    return { files: asFiles(made.files), command: made.command };
  }
}

function asFiles(files: Readonly<Record<string, string | Buffer>>): SandboxFile[] {
  return Object.entries(files).map(([path, text]) => {
    const content = typeof text === 'string' ? Buffer.from(text) : text;
    const isProgram = content.subarray(0, 2).toString() === '#!';
    return { path: join(RUNNER_DIRECTORY, path), content, isProgram };
  });
}
