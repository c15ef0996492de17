import { warn } from '../shared/process-warning.ts';
import type { Tool } from '../tools/tool.ts';
import { timed } from './timed.ts';
import type { ToolInvocation } from './tool-invocation.ts';

/**
 * The validators of the tools of whose results the process has been warned. Copies of a tool share
 * its validator.
 */
const warnedBy: WeakSet<NonNullable<Tool['validateResult']>> = new WeakSet();

/**
 * Checks a result against the output schema of its tool, as the invocation says.
 * @param text - The result as the caller gets it.
 * @returns why the caller must not get it; undefined if it may.
 */
export function refusalOfResult(
  tool: Tool,
  text: string,
  { checkResults = 'off', onResultChecked }: ToolInvocation,
): string | undefined {
  const { validateResult } = tool;
  if (checkResults === 'off' || validateResult === undefined) return undefined;
  if (checkResults === 'warn' && warnedBy.has(validateResult)) return undefined;
  const checked = timed(() => validateResult(JSON.parse(text)), onResultChecked);
  if (checked.valid) return undefined;
  if (checkResults === 'error') {
    return `the result failed the check against the tool's output schema, which is a fault of the tool and not of this call: ${checked.message}`;
  }
  warnedBy.add(validateResult);
  warn(
    `A result of the tool ${JSON.stringify(tool.name)} failed the check against its outputSchema, by which models write programs. Correct its run or its outputSchema, or set checkResults to 'off'. Its further results are not checked. The problem: ${checked.message}`,
    'PTC_RESULT_MISMATCH',
  );
  return undefined;
}
