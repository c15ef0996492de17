import type { CodeTool } from '../../orchestrator/code/code-tool.ts';
import type { CatalogOptions } from '../../orchestrator/code/tool-catalog.ts';
import type { Executor } from '../../sessions/executor.ts';
import type { Labels } from '../../shared/labels.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';

/** What a server has for all its clients. */
export interface Served {
  readonly executor: Executor;
  readonly tools: ToolSet;
  readonly policy: PolicyOptions | undefined;
  /** How the models of clients learn of the tools that programs can call. */
  readonly catalog: CatalogOptions;
  readonly labels: Labels;
  /** How long a call waits for its program. @default until it has ended */
  readonly yieldAfterMs: number | undefined;
  /**
   * Describes `execute_code`, and shortens results of direct calls. No program runs in its session,
   * unless it is that of the only connection.
   */
  readonly codeTool: CodeTool;
  /** Makes an `execute_code` with a session of its own. */
  readonly newCodeTool: () => CodeTool;
  /** Never throws. */
  readonly onHostError: (error: unknown) => void;
}

/** The call of a tool that a client requests. */
export interface ToolRequest {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}
