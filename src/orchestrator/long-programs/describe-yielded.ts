import { joined, outputOf } from '../code/describe-result.ts';
import { fitText, type LongText } from '../long-text/long-text.ts';

/** A program that still runs, for the model. */
export interface YieldedProgram {
  readonly id: string;
  /** How long it has run. */
  readonly durationMs: number;
  /** What it has printed since the model last saw its output. */
  readonly stdout: string;
  readonly stderr: string;
  /** A line for each tool call that has not ended. */
  readonly openCalls: string;
}

/** The line that `describeYielded` writes. Output of the program is above it. */
const STILL_RUNS = /^\[Program (\w{8}) still runs, after /gm;

const ADVICE = 'look at parts when the program has ended';

/**
 * Describes a program that still runs.
 * @param maxBytes - How much text the model gets.
 * @param keep - Keeps output that is too long.
 */
export async function describeYielded(
  program: YieldedProgram,
  maxBytes: number,
  keep: LongText['keep'],
): Promise<string> {
  const { id, durationMs, openCalls } = program;
  const about = joined([
    `[Program ${id} still runs, after ${(durationMs / 1000).toFixed(1)} s. Go on with it: ${JSON.stringify({ program: id })}]`,
    openCalls === '' ? '' : `[Its open tool calls:]\n${openCalls}`,
  ]);
  const output = {
    text: outputOf(program),
    what: 'output',
    isIncomplete: false,
    besideBytes: Buffer.byteLength(about),
    advice: ADVICE,
    keep,
  } as const;
  const { text } = await fitText(output, maxBytes);
  return joined([text, about]);
}

/** The id of the program that still ran when a result was written; undefined if it was of none. */
export function runningProgramOf(result: string): string | undefined {
  return [...result.matchAll(STILL_RUNS)].at(-1)?.[1];
}
