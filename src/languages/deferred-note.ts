import type { Tool } from '../tools/tool.ts';

/** Whether a call of a tool may return a receipt instead of its result. */
export function mayBeDeferred({ whenAsked }: Tool): boolean {
  return whenAsked === 'defer';
}

/**
 * What the documentation of a tool says whose calls may be deferred.
 * @param returns - How its language says that a function gives something: `returns` or `prints`.
 * @param receipt - The receipt in the language.
 */
export function deferredNote(returns: string, receipt: string): string {
  return `If a person has to approve a call, it ${returns} ${receipt} at once, and is made only when the program has ended without an error. What came of it is told then.`;
}
