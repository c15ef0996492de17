import type { Reporter, TestCase, TestModule } from 'vitest/node';

const WIDTH = 118;

/** Says before the failures why tests were skipped: one line for each reason, with the number of tests. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const test of modules.flatMap((module) => [...module.children.allTests('skipped')])) {
      const reason = skipReason(test);
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    const lines = [...counts].sort(([, a], [, b]) => b - a);
    for (const [reason, count] of lines) console.log(shorten(`skipped: ${count} (${reason})`));
  }
}

/** Why a test was skipped; undefined if nobody said it. */
export function skipReason(test: TestCase): string | undefined {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? test.meta().skipReason;
}

function shorten(line: string): string {
  const text = line.replaceAll(/\s+/g, ' ');
  return text.length <= WIDTH ? text : `${text.slice(0, WIDTH - 2)}…)`;
}
