import { type BareJson, toBareJson } from '../shared/json/bare-json.ts';
import { messageOf } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json/json.ts';
import { shapeOfFrame } from './frame-shape.ts';
import { type CallLimits, DEFAULT_CALL_LIMITS } from './frames.ts';

/**
 * Parses JSON text that did not arrive in a frame, with the limits and checks of a tool call in a
 * frame: its size, the number and depth of its values, numbers that JavaScript would round, and what
 * `toBareJson` refuses. The reason for a refusal is a clause about "it" or a part.
 */
export function parseCallJson(
  text: string,
  { bytes, values }: CallLimits = DEFAULT_CALL_LIMITS,
): BareJson<JsonValue> {
  // A character takes at least a byte.
  if (text.length > bytes) return refused(`it is longer than ${bytes} characters`);
  const { excess, inexactNumber } = shapeOfFrame(text, values);
  if (excess !== undefined) return refused(`it ${excess}`);
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(text) as JsonValue;
  } catch (error) {
    return refused(`it is not JSON: ${messageOf(error)}`);
  }
  if (inexactNumber !== undefined) {
    return refused(`the number ${inexactNumber.slice(0, 40)} is too large to be exact`);
  }
  return toBareJson(parsed);
}

function refused(reason: string): BareJson<JsonValue> {
  return { ok: false, reason };
}
