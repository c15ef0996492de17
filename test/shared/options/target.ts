import type { OptionKind } from '../../../src/shared/options/option-kinds.ts';
import type { SampleName } from './samples.ts';

/** An object of options, and what takes it. */
export interface Target {
  readonly names: Readonly<Record<string, OptionKind | true>>;
  /** The page that errors name. */
  readonly page: string;
  /** Options that are valid. */
  readonly base?: object;
  /** The samples that options can have whose kind is not in `names`. @default none */
  readonly accepts?: Readonly<Record<string, readonly SampleName[] | 'all'>>;
  /** Samples that can take the place of the whole object. @default none */
  readonly alsoAccepts?: readonly SampleName[];
  readonly call: (options: never) => unknown;
}
