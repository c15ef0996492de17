import type { Tool } from '../tool.ts';
import { ResultShape } from './read-shape.ts';

/**
 * How much of a result is looked at, in characters: so much, and a small share of the rest. That takes
 * less than a fiftieth of the processor time of a call on the host.
 */
const LEAST_CHARACTERS = 512;
const SHARE = 64;
const MOST_CHARACTERS = 16_384;

/** Copies of a tool share its `run`. */
const observed = new WeakMap<Tool['run'], ResultShape>();
/** What each `run` that stands for another calls. */
const originals = new WeakMap<Tool['run'], Tool['run']>();

/** Counts the results of a tool that stands for another, such as one with a limit, as those of the other. */
export function observeAs(original: Tool, tool: Tool): void {
  originals.set(tool.run, originals.get(original.run) ?? original.run);
}

/**
 * Looks at a result that a program got, if its tool has no output schema.
 * @param text - The result as JSON.
 */
export function observeResult(tool: Tool, text: string): void {
  if (tool.outputSchema !== undefined) return;
  const run = originals.get(tool.run) ?? tool.run;
  const shape = observed.get(run) ?? new ResultShape();
  observed.set(run, shape);
  const share = LEAST_CHARACTERS + Math.floor(text.length / SHARE);
  const length = Math.min(share, MOST_CHARACTERS);
  shape.read(text.length <= length ? text : text.slice(0, length));
}

/** What was seen of the results of a tool; undefined if nothing was. */
export function observedShape(tool: Tool): ResultShape | undefined {
  return observed.get(originals.get(tool.run) ?? tool.run);
}
