import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/**
 * Closes a test run with a line for each skipped test and its reason, one for each that failed, then
 * `N passed, N failed`. What fails outside of a test, such as a file that cannot be loaded, is counted as a failed one.
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
    const failed = tests.filter((test) => test.result().state === 'failed');
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    for (const test of skipped) console.log(describeSkipped(test));
    for (const test of failed) console.log(describeFailed(test));
    const skippedCount = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    console.log(
      `${passed} passed, ${failed.length + broken + unhandledErrors.length} failed${skippedCount}`,
    );
  }
}

function describeSkipped(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return `skipped: ${test.fullName}${note === undefined ? '' : ` (${note})`}`.replaceAll('\n', ' ');
}

function describeFailed(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  const [reason = ''] = error?.message.split('\n') ?? [];
  return `failed: ${test.fullName} (${reason})`.replaceAll('\n', ' ');
}
