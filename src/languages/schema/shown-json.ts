import { escapeJsonControls } from '../../shared/json/json-escapes.ts';
import type { JsonValue } from '../../shared/json/json.ts';

/**
 * A value as JSON text that models read: what cannot be seen in it, or changes how other text is
 * displayed, is an escape of JSON.
 */
export function shownJson(value: JsonValue): string {
  return escapeJsonControls(JSON.stringify(value));
}
