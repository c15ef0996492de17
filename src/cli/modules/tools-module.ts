import { messageOf } from '../../shared/errors.ts';
import { throwIfIncomplete } from '../../shared/installation.ts';
import type { ToolDefinition } from '../../tools/define-tool.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { UsageError } from '../failure.ts';
import { importDefault } from './import-default.ts';

/**
 * Loads the tools of a module: its default export is an array of tools or of the definitions that
 * `defineTool` takes.
 * @throws UsageError with what is wrong with the module.
 */
export async function loadTools(path: string): Promise<ToolRegistry> {
  const tools = await importDefault(path);
  if (!Array.isArray(tools)) {
    throw new UsageError(
      `${path} must have an array of tools as its default export, as in: export default [defineTool({ … })];`,
    );
  }
  if (tools.length === 0) {
    throw new UsageError(`${path} exports an empty array of tools. Add a tool, or omit --tools.`);
  }
  try {
    // The registry checks the type of each element.
    return new ToolRegistry(tools as ToolDefinition[]);
  } catch (cause) {
    throwIfIncomplete(cause);
    throw new UsageError(`${path}: ${messageOf(cause)}`, { cause });
  }
}
