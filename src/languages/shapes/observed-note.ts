import type { Tool } from '../../tools/tool.ts';

/** What a model must know of results that were only observed, as a comment. Nothing if there are none. */
export function observedNote(tools: readonly Tool[], comment: '#' | '//'): string[] {
  if (!tools.some(({ observedSchema }) => observedSchema !== undefined)) return [];
  return [`${comment} observed: what earlier results had. A later one may be different.`];
}
