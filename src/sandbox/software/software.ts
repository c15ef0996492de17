import type { LanguageName } from '../../protocol/messages.ts';

/** Something that is installed, and its version: Python 3.13.5, pandas 2.2.3. */
export interface SoftwareVersion {
  readonly name: string;
  readonly version: string;
}

/** The interpreter of a language, and what programs can load in addition. */
export interface LanguageSoftware extends SoftwareVersion {
  /** The libraries, without those of the interpreter itself. Undefined if they are not known. */
  readonly libraries?: readonly SoftwareVersion[];
  /** Whether its programs can use files. @default true */
  readonly files?: boolean;
}

/** What is installed in the sandboxes of a provider, for each language that is known. */
export type SandboxSoftware = Readonly<Partial<Record<LanguageName, LanguageSoftware>>>;
