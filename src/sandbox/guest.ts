import type { LanguageName } from '../protocol/messages.ts';
import type { ResourceLimits } from './sandbox.ts';

/** An interpreter of programs, as the supervisor in a sandbox starts it. */
export interface Guest {
  /** What it runs; its programs share their state, whichever of these they are written in. */
  readonly languages: readonly LanguageName[];
  /** The program that a sandbox must have for it; '' for the Python that is there anyway. */
  readonly program: string;
  /** Program and arguments; none for the Python that the supervisor itself runs on. */
  readonly command: (limits: ResourceLimits) => readonly string[];
  /** The same where its files were put into the sandbox before. */
  readonly installed?: InstalledGuest;
}

/** A guest that has files in a directory of the sandbox, where programs cannot change them. */
export interface InstalledGuest {
  /** Texts by their paths in that directory, as by those in `runner`. Those that begin with `#!` can be started. */
  readonly files: Readonly<Record<string, string>>;
  readonly command: (directory: string, limits: ResourceLimits) => readonly string[];
  /** With more files it starts quicker. */
  readonly snapshot?: GuestSnapshot;
}

/** More files of a guest, which it makes itself where it will run: only the same program can read them. */
export interface GuestSnapshot {
  /** Prints what `files` reads, where the guest is installed and `/tmp` can be written to. */
  readonly command: (directory: string, limits: ResourceLimits) => readonly string[];
  /** By their paths, as with the others. */
  readonly files: (printed: string, limits: ResourceLimits) => Readonly<Record<string, Buffer>>;
}
