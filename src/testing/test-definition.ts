import type { LanguageName } from '../protocol/messages.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Bench, BenchOptions } from './bench.ts';
import type { ExpectedResult } from './check-result.ts';
import type { Feature } from './features.ts';
import type { PreparedProgram } from './programs/contract-programs.ts';
import type { ProgramId } from './programs/program-ids.ts';

/** What a test needs to run or to pass. */
export interface TestNeeds {
  /** A feature of the sandbox. If the sandbox lacks it, the test must fail. @default none */
  readonly needs?: Feature;
  /**
   * Whether the test is skipped if the sandbox lacks the feature. Set it only if the test would then harm the machine, hang or
   * pass by chance: the list of what a sandbox lacks stays correct only if its tests run.
   * @default false
   */
  readonly neverWithout?: boolean;
}

/** A test, without the sandbox that it tests. */
export interface TestDefinition extends TestNeeds {
  /** A sentence that says what a user observes. */
  readonly title: string;
  /** The programs that the test takes from the table of the language. */
  readonly programs: readonly ProgramId[];
  /** The test. It gets the programs in the order of `programs`. */
  readonly run: (bench: Bench, ...programs: PreparedProgram[]) => Promise<void>;
}

/** Tests that share an executor and its session. Groups with the same object for their options share both. */
export interface TestGroup {
  readonly name: string;
  /** The languages whose suites have this group. @default all */
  readonly languages?: readonly LanguageName[];
  readonly options: BenchOptions;
  readonly tests: readonly TestDefinition[];
}

/** Makes these groups share one session, with the tools of all: each sandbox takes time to start. */
export function inOneSession(...groups: readonly TestGroup[]): readonly TestGroup[] {
  const tools = new Set(groups.flatMap((group) => group.options.tools ?? []));
  const others: readonly BenchOptions[] = groups.map((group) => group.options);
  const options: BenchOptions = { ...Object.assign({}, ...others), tools: [...tools] };
  return groups.map((group) => ({ ...group, options }));
}

/** Kills a sandbox from outside, without a message to anyone. */
export type Kill = (sandbox: Sandbox) => Promise<void>;

/** A test that contains its programs. Its group must name the language of these programs. */
export function test(
  title: string,
  run: (bench: Bench) => Promise<void>,
  needs: TestNeeds = {},
): TestDefinition {
  return { title, programs: [], run, ...needs };
}

/** A test that runs one program and checks the result. */
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

/** A test that runs one program, which must succeed and print this. */
export function prints(
  title: string,
  program: ProgramId,
  stdout: string | RegExp,
  needs?: Feature,
): TestDefinition {
  return expects(title, program, { status: 'ok', stdout }, needs);
}
