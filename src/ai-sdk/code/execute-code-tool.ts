import * as ai from 'ai';
import { checkExecutor } from '../../sessions/executor.ts';
import { checkKeyText } from '../../sessions/options/keys-and-labels.ts';
import { checkPolicyNames } from '../../sessions/options/option-names.ts';
import { given } from '../../shared/given.ts';
import { checkOptionNames } from '../../shared/options/option-names.ts';
import { copyPolicy } from '../../tools/policy/policy-gate.ts';
import type { AiSdkToolSet } from '../sdk-types.ts';
import { LongCodeTools } from './long-code-tools.ts';
import { EXECUTE_CODE_TOOL, type ExecuteCodeToolOptions } from './options.ts';
import { ProgramTool } from './program-tool.ts';
import type { ExecuteCodeTool, ExecuteCodeToolCaller } from './tool.ts';

type ToolCallerFunction = (
  tool: ExecuteCodeTool,
  definition: ExecuteCodeToolCaller['experimental_toolCaller'],
) => ExecuteCodeToolCaller;

/**
 * Creates `execute_code` for `generateText`, `streamText` and agents of the AI SDK 6 and 7. Give it
 * to them under the name `execute_code`. In version 7, `experimental_toolCallers` routes tools to it:
 * programs can then call them, and the model does not see them.
 * @throws PtcError `OPTION_INVALID`; `TOOL_INVALID` or `TOOL_NAME_CLASH` for a tool that programs
 *   cannot call, also from `generateText` if the tool is routed.
 */
export function executeCodeTool(options: ExecuteCodeToolOptions): ExecuteCodeToolCaller {
  checkOptionNames(options, EXECUTE_CODE_TOOL);
  const { executor, policy, sessionKey, tools = {} } = options;
  checkExecutor(executor);
  if (policy !== undefined) checkPolicyNames(policy);
  if (typeof sessionKey !== 'function') checkKeyText('sessionKey', sessionKey);
  const own = { ...options, ...given({ policy: copyPolicy(policy) }) };
  const long = options.yieldAfterMs === undefined ? undefined : new LongCodeTools();
  const bind = (routed: AiSdkToolSet): ExecuteCodeTool =>
    new ProgramTool(own, [...Object.entries(tools), ...Object.entries(routed)], long).asTool();
  const tool = bind({});
  const { experimental_toolCaller: toToolCaller } = ai as {
    readonly experimental_toolCaller?: ToolCallerFunction;
  };
  // In version 6, nothing asks for it.
  return toToolCaller?.(tool, { type: 'local', bind }) ?? (tool as ExecuteCodeToolCaller);
}
