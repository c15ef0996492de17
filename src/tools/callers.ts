import { checkOneOf, invalidOption } from '../shared/options/option-values.ts';
import type { ToolCaller, WhenAsked } from './tool.ts';

/** @throws PtcError `OPTION_INVALID`. */
export function checkedCallers(callers: readonly ToolCaller[] | undefined): readonly ToolCaller[] {
  if (callers === undefined) return Object.freeze(['code'] as const);
  if (!Array.isArray(callers) || callers.length === 0) {
    throw invalidOption('allowedCallers', callers, "an array with 'code', 'direct' or both");
  }
  for (const [index, caller] of callers.entries()) {
    checkOneOf(`allowedCallers[${index}]`, caller, ['code', 'direct']);
  }
  return Object.freeze([...new Set(callers)]);
}

/**
 * @param callers - Those of the tool.
 * @throws PtcError `OPTION_INVALID`.
 */
export function checkWhenAsked(whenAsked: WhenAsked, callers: readonly ToolCaller[]): void {
  checkOneOf('whenAsked', whenAsked, ['wait', 'defer']);
  if (whenAsked === 'wait' || callers.includes('code')) return;
  const advice = "Only calls of programs are deferred. Add 'code' to allowedCallers.";
  throw invalidOption(
    'whenAsked',
    whenAsked,
    "'wait' for a tool that programs cannot call",
    advice,
  );
}
