import assert from 'node:assert/strict';
import type { LanguageName } from '../protocol/messages.ts';
import type { SandboxProvider } from '../sandbox/sandbox.ts';
import { Bench } from './bench.ts';
import { RecordingProvider } from './recording-provider.ts';
import { checkPrograms, prepareProgram, type ContractPrograms } from './contract-programs.ts';
import { checkGaps, FEATURES, type Gaps } from './features.ts';
import { testGroups } from './groups/groups.ts';
import { programsOf } from './programs/programs.ts';
import type { Kill, TestDefinition, TestGroup } from './test-definition.ts';

export type { Feature, Gaps } from './features.ts';
export type { AbsentProgram, ContractProgram, ContractPrograms } from './contract-programs.ts';
export type { ProgramId } from './program-ids.ts';
export { programsOf } from './programs/programs.ts';

/** A place that runs programs of one language, under test. */
export interface ContractSubject {
  /** Such as `docker`, for reports. */
  readonly name: string;
  readonly language: LanguageName;
  /** Makes the provider; called once, with the first test. `close` closes it. */
  readonly provider: () => SandboxProvider;
  /** Ends a sandbox from outside, without a word to anyone. @default the tests that need it are left out */
  readonly kill?: Kill;
  /** What it cannot do, and why: `{ 'memory limit': 'an ordinary process has none' }`. @default nothing */
  readonly cannot?: Gaps;
  /** The programs of its language. @default those of this package */
  readonly programs?: ContractPrograms;
}

export interface ContractTest {
  /** Such as `tools`. */
  readonly group: string;
  /** A sentence; with what is missing here, and why. */
  readonly title: string;
  /** Why it is not to be run here: `run` does nothing then. */
  readonly skip?: string;
  /** @throws AssertionError where the contract is broken, or where what is said to be missing works. */
  readonly run: () => Promise<void>;
}

/** The contract of one subject. Its tests run one after another, in any order and in any number. */
export interface ContractSuite extends AsyncDisposable {
  /** Such as `docker, python`. */
  readonly name: string;
  readonly tests: readonly ContractTest[];
  /** Ends what the tests started. @throws AssertionError where a sandbox is left. */
  close(): Promise<void>;
}

/**
 * What every place that runs programs must do alike, as tests for any framework.
 * @throws PtcError `OPTION_INVALID` for a feature or a program that there is not, and for one that is missing.
 */
export function contractSuite(subject: ContractSubject): ContractSuite {
  const programs = subject.programs ?? programsOf(subject.language);
  const { cannot = {}, kill } = subject;
  checkGaps(cannot);
  checkPrograms(programs);
  const gaps: Gaps = { ...cannot, ...(kill === undefined && { kill: 'no kill was given' }) };
  const stage = new Stage(subject);
  const tests = testGroups(kill).flatMap((group) =>
    group.tests.map((test) => contractTest(stage, group, test, { gaps, programs })),
  );
  return {
    name: `${subject.name}, ${subject.language}`,
    tests,
    close: async () => stage.close(),
    [Symbol.asyncDispose]: async () => stage.close(),
  };
}

/** The provider and the benches, each made when it is first needed. */
class Stage {
  readonly #subject: ContractSubject;
  readonly #benches: Map<TestGroup, Bench> = new Map();
  #provider: RecordingProvider | undefined;

  constructor(subject: ContractSubject) {
    this.#subject = subject;
  }

  benchOf(group: TestGroup): Bench {
    this.#provider ??= new RecordingProvider(this.#subject.provider());
    const bench =
      this.#benches.get(group) ?? new Bench(this.#provider, this.#subject.language, group.options);
    this.#benches.set(group, bench);
    return bench;
  }

  async close(): Promise<void> {
    const benches = [...this.#benches.values()];
    const provider = this.#provider;
    this.#benches.clear();
    this.#provider = undefined;
    await Promise.all(benches.map(async (bench) => bench.close()));
    await provider?.close();
    assert.deepEqual([...(provider?.open.keys() ?? [])], [], 'Sandboxes were left behind.');
  }
}

interface Circumstances {
  readonly gaps: Gaps;
  readonly programs: ContractPrograms;
}

function contractTest(
  stage: Stage,
  group: TestGroup,
  test: TestDefinition,
  { gaps, programs }: Circumstances,
): ContractTest {
  const { title, needs } = test;
  const prepared = test.programs.map((id) => prepareProgram(programs, id));
  const absent = prepared.find((program) => 'absent' in program);
  if (absent !== undefined) return leftOut(group, title, absent.absent);
  const ready = prepared.filter((program) => 'code' in program);
  const gap = needs === undefined ? undefined : gaps[needs];
  const run = async (): Promise<void> => test.run(stage.benchOf(group), ...ready);
  if (needs === undefined || gap === undefined) return { group: group.name, title, run };
  const missing = `${FEATURES[needs]}: ${gap}`;
  if (test.neverWithout === true) return leftOut(group, title, missing);
  return {
    group: group.name,
    title: `${title} [not here; ${missing}]`,
    run: async () => mustFail(run, needs),
  };
}

function leftOut(group: TestGroup, title: string, reason: string): ContractTest {
  return { group: group.name, title: `${title} [${reason}]`, skip: reason, run: async () => {} };
}

/** What does not hold here must not: else it would stay on the list for ever. */
async function mustFail(run: () => Promise<void>, feature: string): Promise<void> {
  const failure = await run().then(
    () => undefined,
    (error: unknown) => error,
  );
  // A fault of the host is no gap.
  if (failure !== undefined && !(failure instanceof assert.AssertionError)) throw failure;
  if (failure === undefined) {
    assert.fail(
      `It works here: take ${JSON.stringify(feature)} out of what the subject cannot do.`,
    );
  }
}
