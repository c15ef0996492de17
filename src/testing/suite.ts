import assert from 'node:assert/strict';
import type { LanguageName } from '../protocol/messages.ts';
import type { Sandbox, SandboxProvider } from '../sandbox/sandbox.ts';
import { Bench, type BenchOptions } from './bench.ts';
import { checkGaps, FEATURES, type Gaps } from './features.ts';
import { removeHostVariable, setHostVariable } from './host-variable.ts';
import {
  checkPrograms,
  prepareProgram,
  type ContractPrograms,
} from './programs/contract-programs.ts';
import { programsOf } from './programs/programs.ts';
import { RecordingProvider } from './recording-provider.ts';
import type { TestDefinition, TestGroup } from './test-definition.ts';

/** What a suite tests: a provider with one language. */
export interface ContractSubject {
  /** The name of the suite in reports, such as `docker`. */
  readonly name: string;
  readonly language: LanguageName;
  /**
   * Makes a provider: a new one on each call. The tests share the first one, which `close` closes. A test that closes its provider
   * gets one of its own.
   */
  readonly provider: () => SandboxProvider;
  /** Kills a sandbox from outside, without a message to anyone. @default none: the tests that need it are skipped */
  readonly kill?: (sandbox: Sandbox) => Promise<void>;
  /** The features that the sandbox lacks, with reasons: `{ 'memory limit': 'an ordinary process has none' }`. @default none */
  readonly cannot?: Gaps;
  /** The programs that the tests run. @default those of this package for the language */
  readonly programs?: ContractPrograms;
}

/** One test of a suite. */
export interface ContractTest {
  /** The name of its group, such as `tools`. */
  readonly group: string;
  /** A sentence, and the reason if a feature or a program is missing. */
  readonly title: string;
  /** Why the test is skipped. `run` then does nothing. @default the test is run */
  readonly skip?: string;
  /** Runs the test. @throws AssertionError if what is tested behaves differently, or if a feature works that `cannot` lists. */
  readonly run: () => Promise<void>;
}

/** The tests of one provider and language, or of one way. They must run one after another, in any order and number. */
export interface ContractSuite extends AsyncDisposable {
  /** The names of the subject and its language, such as `docker, python`, or the name of the way. */
  readonly name: string;
  readonly tests: readonly ContractTest[];
  /** Ends all sandboxes and closes the provider, or the way. @throws AssertionError if a sandbox or a session remains. */
  close(): Promise<void>;
}

/** Makes the tests of these groups for a subject. @throws PtcError `OPTION_INVALID` as `contractSuite` does. */
export function suiteOf(subject: ContractSubject, groups: readonly TestGroup[]): ContractSuite {
  const programs = subject.programs ?? programsOf(subject.language);
  const { cannot = {}, kill } = subject;
  checkGaps(cannot);
  checkPrograms(programs);
  const gaps: Gaps = {
    ...cannot,
    ...(kill === undefined && { kill: 'the option kill was not given' }),
  };
  const resources = new Resources(subject);
  const tests = groups.flatMap((group) =>
    group.tests.map((test) => contractTest(resources, group, test, { gaps, programs })),
  );
  return {
    name: `${subject.name}, ${subject.language}`,
    tests,
    close: async () => resources.close(),
    [Symbol.asyncDispose]: async () => resources.close(),
  };
}

/** The provider and the executors. Each is made by the first test that needs it. */
class Resources {
  readonly #subject: ContractSubject;
  /** By the options of their groups. */
  readonly #benches: Map<BenchOptions, Bench> = new Map();
  #provider: RecordingProvider | undefined;
  /** All that were made. */
  readonly #made: WeakSet<SandboxProvider> = new WeakSet();

  constructor(subject: ContractSubject) {
    this.#subject = subject;
  }

  benchFor(options: BenchOptions): Bench {
    if (this.#provider === undefined) {
      // Before there is a provider, which may copy the environment when it is made.
      setHostVariable();
      this.#provider = new RecordingProvider(this.#make());
    }
    const providers = { provider: this.#provider, newProvider: () => this.#make() };
    const bench =
      this.#benches.get(options) ?? new Bench(providers, this.#subject.language, options);
    this.#benches.set(options, bench);
    return bench;
  }

  #make(): SandboxProvider {
    const provider = this.#subject.provider();
    assert.ok(
      !this.#made.has(provider),
      'The option provider returned the same provider again. It must return a new one on each call: tests close theirs.',
    );
    this.#made.add(provider);
    return provider;
  }

  async close(): Promise<void> {
    const benches = [...this.#benches.values()];
    const provider = this.#provider;
    this.#benches.clear();
    this.#provider = undefined;
    removeHostVariable();
    await Promise.all(benches.map(async (bench) => bench.close()));
    const remaining = await provider?.remaining();
    await provider?.close();
    assert.deepEqual(remaining ?? [], [], 'Sandboxes remain after their executors were closed.');
  }
}

/** What decides if and how a test runs. */
interface Conditions {
  readonly gaps: Gaps;
  readonly programs: ContractPrograms;
}

function contractTest(
  resources: Resources,
  group: TestGroup,
  test: TestDefinition,
  { gaps, programs }: Conditions,
): ContractTest {
  const { title, needs } = test;
  const prepared = test.programs.map((id) => prepareProgram(programs, id));
  const absent = prepared.find((program) => 'absent' in program);
  if (absent !== undefined) return skipped(group, title, absent.absent);
  const ready = prepared.filter((program) => 'code' in program);
  const gap = needs === undefined ? undefined : gaps[needs];
  const run = async (): Promise<void> => test.run(resources.benchFor(group.options), ...ready);
  if (needs === undefined || gap === undefined) return { group: group.name, title, run };
  const missing = `${FEATURES[needs]}: ${gap}`;
  if (test.neverWithout === true) return skipped(group, title, missing);
  return {
    group: group.name,
    title: `${title} [must fail, because ${missing}]`,
    run: async () => mustFail(run, needs),
  };
}

function skipped(group: TestGroup, title: string, reason: string): ContractTest {
  return { group: group.name, title: `${title} [${reason}]`, skip: reason, run: async () => {} };
}

/** Runs a test of a missing feature. If it passed, the feature would have to be removed from `cannot`. */
async function mustFail(run: () => Promise<void>, feature: string): Promise<void> {
  const failure = await run().then(
    () => undefined,
    (error: unknown) => error,
  );
  // An error of the host does not show that the feature is missing.
  if (failure !== undefined && !(failure instanceof assert.AssertionError)) throw failure;
  if (failure === undefined) {
    assert.fail(
      `The feature ${JSON.stringify(feature)} works here. Remove it from the option cannot.`,
    );
  }
}
