import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { skipReason } from './skipped-reporter.ts';

/**
 * Closes a test run with a line for each test that failed, then `N passed, N failed`. What fails outside of a test,
 * such as a file that cannot be loaded, is counted as a failed one, and so is a test that is skipped without a reason.
 */
export default class CountReporter implements Reporter {
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

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
    // What a filter of names leaves out is skipped by whoever typed it.
    const silent = this.#isFiltered ? [] : skipped.filter((test) => skipReason(test) === undefined);
    for (const test of failed) console.log(describeFailed(test));
    for (const test of silent) {
      console.log(`failed: ${test.fullName} (skipped without a reason: use skippedFor)`);
    }
    if (silent.length > 0) process.exitCode = 1;
    const failures = failed.length + broken + unhandledErrors.length + silent.length;
    const explained = skipped.length - silent.length;
    console.log(
      `${passed} passed, ${failures} failed${explained > 0 ? `, ${explained} skipped` : ''}`,
    );
  }
}

/** The line of a failed test, with the first line of its error. */
export function describeFailed(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  const [reason = ''] = error?.message.split('\n') ?? [];
  return `failed: ${test.fullName} (${reason})`.replaceAll('\n', ' ');
}
