import type { LanguageName } from '../../protocol/messages.ts';
import type { ResourceLimits } from '../sandbox.ts';

/** The process of an interpreter, as the supervisor of a sandbox starts it. */
export interface Guest {
  /** The languages that it runs. Programs in these languages share their state. */
  readonly languages: readonly LanguageName[];
  /** The command that must be installed in the sandbox; '' for Python, which every sandbox has. */
  readonly program: string;
  /** The command and its arguments; empty for Python, because the supervisor forks that guest. */
  readonly command: (limits: ResourceLimits) => readonly string[];
  /** How to start the guest if its files are already in the sandbox. */
  readonly installed?: InstalledGuest;
}

/** A guest with files in a directory of the sandbox that programs cannot write to. */
export interface InstalledGuest {
  /**
   * Contents by path, relative to that directory and to `runner`. A file that begins with `#!` is
   * executable.
   */
  readonly files: Readonly<Record<string, string>>;
  readonly command: (directory: string, limits: ResourceLimits) => readonly string[];
  /** Further files, with which the guest starts faster. */
  readonly snapshot?: GuestSnapshot;
}

/**
 * Further files of a guest. It makes them itself in the sandbox, because only the same version of
 * its interpreter can read them.
 */
export interface GuestSnapshot {
  /**
   * A command that prints the input of `read`. It needs the installed guest and a writable `/tmp`.
   */
  readonly command: (directory: string, limits: ResourceLimits) => readonly string[];
  readonly read: (printed: string, directory: string, limits: ResourceLimits) => MadeSnapshot;
}

/** A snapshot that was made on this machine. */
export interface MadeSnapshot {
  /** Contents by path, relative to the directory of the guest's files. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** How to start the guest from it. */
  readonly command: readonly string[];
}
