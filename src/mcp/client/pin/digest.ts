import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../shared/json/canonical-json.ts';
import type { JsonValue } from '../../../shared/json/json.ts';
import { readAnnotations } from '../../../tools/annotations.ts';
import type { ListedTool } from '../mcp-client.ts';

/**
 * The SHA-256, in hexadecimal digits, of all that the model, programs and policies get of a definition.
 * The order of its keys does not matter. Users keep digests, so a part that is added here must be
 * undefined for definitions that do not have it.
 */
export function digestOf(tool: ListedTool): string {
  const { name, title, description, inputSchema, outputSchema } = tool;
  const annotations = readAnnotations(tool.annotations);
  // Without the members that are undefined, which not every client makes.
  const text = JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations });
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(text) as JsonValue))
    .digest('hex');
}
