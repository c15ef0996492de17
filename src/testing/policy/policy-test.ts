import type { WayBench } from './way-bench.ts';

/** A test of a way. */
export interface PolicyTest {
  /** A sentence that says what a user observes. */
  readonly title: string;
  /** The test. It gets the open way of the suite, whose shop has forgotten earlier calls. */
  readonly run: (bench: WayBench) => Promise<void>;
}

export interface PolicyTestGroup {
  readonly name: string;
  readonly tests: readonly PolicyTest[];
}
