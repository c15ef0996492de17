import type { Reporter, TestCase, TestSpecification } from 'vitest/node';
import { describeFailed } from './reporter.ts';

/** Says how far a run is, and each failure as soon as it is known, in lines that scripts/test/gate.mjs reads. */
export default class ProgressReporter implements Reporter {
  #files = 0;
  #ended = 0;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed') console.log(`progress: ${describeFailed(test)}`);
  }

  onTestModuleEnd(): void {
    this.#ended += 1;
    console.log(`progress: ${this.#ended} of ${this.#files} files`);
  }
}
