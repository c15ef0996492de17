import { failed, type FailedCall } from '../../calls/tool-outcome.ts';
import type { ToolUseBlock } from '../../models/language-model.ts';
import { MAX_FRAME_DEPTH } from '../../protocol/frame-shape.ts';
import { isNestedDeeper } from '../../shared/json/nesting.ts';
import { MAXIMUM_NAME_LENGTH } from '../../tools/names.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import { EXECUTE_CODE, NOT_AN_OBJECT } from '../code/code-tool-definition.ts';
import { MAXIMUM_ANSWER_NESTING } from '../conversation/conversation-document.ts';

/** A tool use that is refused before anything of it is done. Only the audit log is told of it. */
export interface RefusedUse {
  readonly call: {
    readonly caller: 'direct';
    readonly callId: string;
    readonly toolName: string;
    /**
     * Undefined if they are nested so deep that writing them could exhaust the stack, or are not a JSON
     * object.
     */
    readonly arguments: unknown;
  };
  readonly outcome: FailedCall;
  /** What the model is told. */
  readonly text: string;
}

/**
 * Refuses the use of a tool that the model was not offered, or with arguments that are not a JSON object,
 * or are nested deeper than code that walks them can go. Undefined if it is not refused. What
 * `execute_code` cannot use, it says itself.
 */
export function refusalOf(
  { id: callId, name, input }: ToolUseBlock,
  offered: ReadonlySet<string>,
  tools: ToolSet,
): RefusedUse | undefined {
  const isTooDeep = isNestedDeeper(input, MAXIMUM_ANSWER_NESTING);
  const isNone = input === undefined && name !== EXECUTE_CODE;
  const isOffered = offered.has(name);
  if (isOffered && !isTooDeep && !isNone) return undefined;
  const tool = tools.list().find(({ identifier }) => identifier === name);
  const toolName = tool?.name ?? name.slice(0, MAXIMUM_NAME_LENGTH);
  const sent = isTooDeep ? undefined : input;
  const call = { caller: 'direct', callId, toolName, arguments: sent } as const;
  if (isOffered && isNone) {
    return { call, outcome: failed('InvalidArguments', NOT_AN_OBJECT), text: NOT_AN_OBJECT };
  }
  if (isOffered) {
    // The limit of arguments that are validated, which is lower.
    const message = `arguments: it is nested more than ${MAX_FRAME_DEPTH} deep`;
    const type = 'InvalidArguments';
    return { call, outcome: failed(type, message), text: `${type}: ${message}` };
  }
  const type = tool === undefined && name !== EXECUTE_CODE ? 'UnknownTool' : 'NotAllowed';
  const text = `There is no tool named ${name}.`;
  return { call, outcome: failed(type, text), text };
}
