import type { LanguageName } from '../../protocol/messages.ts';

/** The calls of one tool that its program made one after another, none with a value from another. */
export interface CallSeries {
  /** The name of its function in programs. */
  readonly name: string;
  readonly calls: number;
  /** How long its tool ran, in all. */
  readonly totalMs: number;
  readonly longestMs: number;
  /** How many of its calls can run at a time. */
  readonly concurrency: number;
}

/** What is known about the calls of a program. */
export interface CallFacts {
  readonly series: readonly CallSeries[];
  /** The call that the program made most often with equal arguments. */
  readonly repeated: { readonly name: string; readonly calls: number } | undefined;
}

/** Fewer calls are not taken for a loop. */
const FEWEST_CALLS = 4;
/** Shorter calls take most of their time on their way. */
const SHORTEST_CALL_MS = 10;
/** What must be gained, and how much of the time. */
const LEAST_GAIN_MS = 1000;
const LEAST_GAIN = 0.25;
/** Fewer equal calls are usual. */
const FEWEST_EQUAL_CALLS = 20;

/** How a program makes calls at the same time. */
const AT_ONCE: Readonly<Record<LanguageName, string>> = {
  python: 'asyncio.gather',
  typescript: 'Promise.all',
  javascript: 'Promise.all',
  bash: 'starting each with & and then wait',
};

/** What the model is told about the calls of its program, in one or two sentences, if it helps. */
export function chooseHint(facts: CallFacts, language: LanguageName): string | undefined {
  const [slowest] = facts.series
    .map((series) => ({ ...series, gainMs: gainOf(series) }))
    .filter(({ gainMs }) => gainMs > 0)
    .toSorted((left, right) => right.gainMs - left.gainMs);
  if (slowest !== undefined) {
    const { calls, name, totalMs, gainMs } = slowest;
    const took = `${calls} calls of ${name}, one after another, took ${seconds(totalMs)}, and no argument came from the result of another.`;
    return `${took} If they do not depend on each other, ${AT_ONCE[language]} would have taken about ${seconds(totalMs - gainMs)}.`;
  }
  const { repeated } = facts;
  if (repeated === undefined || repeated.calls < FEWEST_EQUAL_CALLS) return undefined;
  return `${repeated.name} was called ${repeated.calls} times with equal arguments. Keep a result in a variable, unless you wait for it to change.`;
}

/** How much time calls at the same time would have saved; 0 if it is not worth a word. */
function gainOf({ calls, totalMs, longestMs, concurrency }: CallSeries): number {
  const atOnceMs = longestMs * Math.ceil(calls / concurrency);
  const gainMs = totalMs - atOnceMs;
  const isWorthIt =
    calls >= FEWEST_CALLS &&
    totalMs / calls >= SHORTEST_CALL_MS &&
    gainMs >= Math.max(LEAST_GAIN_MS, LEAST_GAIN * totalMs);
  return isWorthIt ? gainMs : 0;
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
