import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { AiSdkToolSet } from '../sdk-types.ts';
import { callOf, convertTool } from './convert-tool.ts';

/**
 * Converts tools of the AI SDK to tools of this package, with their names, descriptions, schemas and
 * `execute`. Programs of any executor can then call them. What only the AI SDK uses is left out, such as
 * `toModelOutput`. A call for which `needsApproval` says that it needs approval is refused, because
 * only `executeCodeTool` asks for it.
 * @throws PtcError `TOOL_INVALID` for a tool without `execute`, for a description that is a
 *   function, and for a schema that cannot be converted.
 */
export function aiSdkTools(tools: AiSdkToolSet): readonly Tool<unknown>[] {
  return Object.entries(tools).map(([name, source]) => {
    const { tool, execute, needsApproval } = convertTool(name, source);
    if (needsApproval === undefined) return tool;
    const run = async (input: unknown, context: ToolContext): Promise<unknown> => {
      const call = callOf(context);
      if (await needsApproval(input, call)) throw new Error(UNAPPROVED);
      return execute(input, call);
    };
    return Object.freeze({ ...tool, run });
  });
}

const UNAPPROVED =
  'This call needs approval (needsApproval), and nothing here asks for it. Give the tool to executeCodeTool, or replace its needsApproval by a rule of a policy.';
