import { messageOf } from '../../shared/errors.ts';
import { throwIfIncomplete } from '../../shared/installation.ts';
import type { ToolDefinition } from '../../tools/define-tool.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../tools/registry/registry.ts';
import { UsageError } from '../failure.ts';
import { importModule } from './import-default.ts';

/** What a module exports. */
export interface ToolsModule {
  readonly registry: ToolRegistry;
  /** The export `policy`. If it has no approver, the person at the terminal is asked. */
  readonly policy: PolicyOptions | undefined;
}

/**
 * Loads the tools of a module: its default export is an array of tools or of the definitions that
 * `defineTool` takes.
 * @throws UsageError with what is wrong with the module.
 */
export async function loadTools(path: string): Promise<ToolsModule> {
  const { default: tools, policy } = await importModule(path);
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
    const registry = new ToolRegistry(tools as ToolDefinition[]);
    // Whoever uses the policy checks it.
    return { registry, policy: policy as PolicyOptions | undefined };
  } catch (cause) {
    throwIfIncomplete(cause);
    throw new UsageError(`${path}: ${messageOf(cause)}`, { cause });
  }
}
