import type { DeferredCall, DeferredOutcome } from '../../execution/deferred/deferred-call.ts';
import { NOT_KNOWN } from '../call-record.ts';
import { byTool, count, NONE, type Counts } from './counts.ts';
import { oneLine, startOf } from './start-of.ts';

/** For how many calls the text has a line. */
const MOST_LINES = 100;

/** How much of the arguments and of the outcome of one call is shown, in characters. */
const SHOWN_LENGTH = 200;

const OUTCOMES = ['done', 'failed', 'not-made', 'unknown'] as const;

const SAID: Readonly<Record<DeferredOutcome, string>> = {
  done: 'done',
  failed: 'failed',
  'not-made': 'not made',
  unknown: NOT_KNOWN,
};

/**
 * The text for the model about the calls that a program deferred; empty if there are none. If there are
 * many, those that are not done have lines, and then the others as far as there is room. So it has at
 * most 100 lines of 700 characters.
 */
export function deferredText(calls: readonly DeferredCall[]): string {
  const [first] = calls;
  if (first === undefined) return '';
  const reason = why(first);
  const isNoneMade = calls.every((call) => call.outcome === 'not-made' && why(call) === reason);
  if (isNoneMade) {
    const many = calls.length === 1 ? '1 tool call' : `${calls.length} tool calls`;
    return `[The program deferred ${many} (${toolsOf(calls)}), of which none was made: ${oneLine(startOf(reason))}]`;
  }
  const done = calls.filter(({ outcome }) => outcome === 'done');
  const others = calls.filter(({ outcome }) => outcome !== 'done');
  const shown = new Set([...others, ...done].slice(0, MOST_LINES));
  const lines = calls.filter((call) => shown.has(call)).map(lineOf);
  return [
    '[The tool calls that the program deferred, and what came of them:]',
    ...lines,
    ...countsOf(calls.filter((call) => !shown.has(call))),
  ].join('\n');
}

function lineOf(call: DeferredCall): string {
  const { number, toolName, argumentsText, outcome, result = '' } = call;
  const shown = startOf(outcome === 'done' ? result : why(call), SHOWN_LENGTH);
  const about = `${number}. ${startOf(toolName, SHOWN_LENGTH)}(${startOf(argumentsText, SHOWN_LENGTH)})`;
  return oneLine(`${about}: ${SAID[outcome]}, ${shown}`);
}

function why({ error }: DeferredCall): string {
  return error === undefined ? '' : `${error.type}: ${error.message}`;
}

/** A line for each outcome of calls that have no line of their own. */
function countsOf(calls: readonly DeferredCall[]): readonly string[] {
  return OUTCOMES.flatMap((outcome) => {
    const some = calls.filter((call) => call.outcome === outcome);
    if (some.length === 0) return [];
    return [`and ${some.length} more: ${SAID[outcome]} (${toolsOf(some)})`];
  });
}

/** How many calls of each tool these are, such as `pay 3, mail 1`. */
function toolsOf(calls: readonly DeferredCall[]): string {
  const counts = new Map<string, Counts>();
  for (const { toolName } of calls) count(counts, toolName, { ...NONE, open: 1 });
  return byTool(counts)
    .map(([tool, { open }]) => `${tool} ${open}`)
    .join(', ');
}
