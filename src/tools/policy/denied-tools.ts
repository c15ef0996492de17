import { hasAnnotations } from '../annotations.ts';
import type { Tool } from '../tool.ts';
import { matchesTool, namesOf, type PolicyRule } from './policy.ts';

/**
 * Whether rules deny every call of a tool, so that a model need not know of it. False if that depends
 * on the call.
 */
export function isAlwaysDenied(
  rules: readonly PolicyRule[],
  { name, annotations }: Pick<Tool, 'name' | 'annotations'>,
): boolean {
  for (const rule of rules) {
    if (!namesOf(rule).some((pattern) => matchesTool(pattern, name))) continue;
    const { tool: _tool, annotations: wanted = {}, action, reason: _reason, ...conditions } = rule;
    if (!hasAnnotations(annotations, wanted)) continue;
    const isConditional = Object.values(conditions).some((condition) => condition !== undefined);
    if (action !== 'deny') return false;
    if (!isConditional) return true;
  }
  return false;
}
