import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Bench, BenchOptions } from './bench.ts';
import type { ExpectedResult } from './check-result.ts';
import type { PreparedProgram } from './contract-programs.ts';
import type { Feature } from './features.ts';
import type { ProgramId } from './program-ids.ts';

/** A test, before it is known of whom. */
export interface TestDefinition {
  /** What a user observes: a sentence. */
  readonly title: string;
  readonly programs: readonly ProgramId[];
  /** What the place must be capable of. @default nothing */
  readonly needs?: Feature;
  /**
   * Whether it is left out where the feature is missing. Else it is run, and must fail: a list of what a
   * place cannot do would otherwise stay true for ever. For what would harm the machine, or take long.
   * @default false
   */
  readonly neverWithout?: boolean;
  /** Gets its programs in their order. */
  readonly run: (bench: Bench, ...programs: PreparedProgram[]) => Promise<void>;
}

/** Tests that share a bench, and whatever else they close over. */
export interface TestGroup {
  readonly name: string;
  readonly options: BenchOptions;
  readonly tests: readonly TestDefinition[];
}

/** Ends a sandbox from outside, without a word to anyone. */
export type Kill = (sandbox: Sandbox) => Promise<void>;

/** A test of how one program goes. */
export function expects(
  title: string,
  program: ProgramId,
  expected: ExpectedResult,
  needs?: Feature,
): TestDefinition {
  return {
    title,
    programs: [program],
    ...(needs !== undefined && { needs }),
    run: async (bench, prepared) => {
      await bench.check(prepared, expected);
    },
  };
}

/** A test of a program that succeeds and prints this. */
export function prints(
  title: string,
  program: ProgramId,
  stdout: string | RegExp,
  needs?: Feature,
): TestDefinition {
  return expects(title, program, { status: 'ok', stdout }, needs);
}
