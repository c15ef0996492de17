import type { Tool } from './tool.ts';

/**
 * Whether a call that the rules allow needs approval nevertheless.
 * @param input - What the tool would get.
 */
export type NeedsApproval = (input: unknown, callId: string) => Promise<boolean>;

/** Not a name, so that only adapters can set it: users write a rule instead. */
const NEEDS_APPROVAL: unique symbol = Symbol('needsApproval');

interface AskingTool {
  readonly [NEEDS_APPROVAL]?: NeedsApproval;
}

/** The tool, which itself says which of its calls need approval. Copies of it say so too. */
export function withNeedsApproval<Context>(
  tool: Tool<Context>,
  needsApproval: NeedsApproval,
): Tool<Context> {
  return Object.freeze({ ...tool, [NEEDS_APPROVAL]: needsApproval });
}

/** Undefined if only rules and limits ask about calls of the tool. */
export function needsApprovalOf(tool: Tool & AskingTool): NeedsApproval | undefined {
  return tool[NEEDS_APPROVAL];
}
