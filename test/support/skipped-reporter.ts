import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** How many reasons the summary names, and how long each may be there. */
const NAMED = 2;
const MAX_LENGTH = 90;

/**
 * Says in two lines, before the failures, how many tests were skipped, the most frequent reasons, and how to list all
 * reasons. With `--hideSkippedTests=false`, lists each reason with its number of tests.
 */
export default class SkippedReporter implements Reporter {
  #listsAll = false;

  onInit({ config }: Vitest): void {
    this.#listsAll = !config.hideSkippedTests;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const reasons = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .flatMap((test) => skipReason(test)?.replaceAll(/\s+/g, ' ').trim() ?? []);
    if (reasons.length === 0) return;
    // The reporter `dot` leaves its line without an end.
    console.log('');
    if (this.#listsAll) {
      for (const [reason, count] of countEach(reasons))
        console.log(`skipped: ${count} (${reason})`);
      return;
    }
    console.log(summarize(reasons));
    console.log('skipped: to list all reasons, run vitest with --hideSkippedTests=false');
  }
}

/** Why a test was skipped; undefined if nobody said it. */
export function skipReason(test: TestCase): string | undefined {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? test.meta().skipReason;
}

function summarize(reasons: readonly string[]): string {
  const counts = countEach(reasons.map((reason) => withoutReference(reason)));
  const parts = counts
    .slice(0, NAMED)
    .map(([reason, count]) => `${count} because ${shorten(reason)}`);
  const others = counts.slice(NAMED);
  const tests = others.reduce((sum, [, count]) => sum + count, 0);
  const plural = others.length === 1 ? 'reason' : 'reasons';
  if (others.length > 0) parts.push(`and ${tests} for ${others.length} other ${plural}`);
  return `skipped: ${reasons.length}, each with a reason: ${parts.join(', ')}`;
}

/** A reason can end with a reference, such as `(see escape/10-processes)`. The list has it, the summary does not. */
function withoutReference(reason: string): string {
  return reason.replace(/ \(see [^()]*\)$/, '');
}

/** How often each text is there, the most frequent first. */
function countEach(texts: readonly string[]): [text: string, count: number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function shorten(reason: string): string {
  return reason.length <= MAX_LENGTH ? reason : `${reason.slice(0, MAX_LENGTH - 1)}…`;
}
