import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/**
 * Closes a test run with each skipped test and its reason, then `N passed, N failed`. What fails
 * outside of a test, such as a file that cannot be loaded, is counted as a failed one.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const suites: (TestModule | TestSuite)[] = modules.flatMap((module) => [
      module,
      ...module.children.allSuites(),
    ]);
    const broken = suites.filter((suite) => suite.errors().length > 0).length;
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    for (const test of skipped) console.log(describeSkipped(test));
    const skippedCount = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    console.log(
      `${passed} passed, ${failed + broken + unhandledErrors.length} failed${skippedCount}`,
    );
  }
}

function describeSkipped(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return `skipped: ${test.fullName}${note === undefined ? '' : ` (${note})`}`.replaceAll('\n', ' ');
}
