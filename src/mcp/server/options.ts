import { CODE_TOOL, type CodeToolOptions } from '../../orchestrator/code/code-tool-options.ts';
import type { OptionsObject } from '../../shared/options/option-names.ts';

/** Options of `mcpServer`. Those without a description are as for `codeTool`. */
export interface McpCodeServerOptions extends Pick<
  CodeToolOptions,
  | 'catalog'
  | 'languages'
  | 'labels'
  | 'programTimeoutMs'
  | 'yieldAfterMs'
  | 'maxResultBytes'
  | 'hints'
> {
  /** Where the programs run. You close it; the server does not. */
  readonly executor: CodeToolOptions['executor'];
  /**
   * The tools: programs call those with the caller `code`, and clients those with the caller
   * `direct`, as tools of the server. @default the executor's
   */
  readonly tools?: CodeToolOptions['tools'];
  /**
   * Decides which calls are allowed, from programs and direct ones. If a rule asks and the policy
   * has no approver, the user of the client is asked. @default the executor's
   */
  readonly policy?: NonNullable<CodeToolOptions['policy']>;
  /**
   * Called with each error of the host, such as a sandbox that did not start. The client gets only
   * its code. @default a warning of the process, with the code `PTC_HOST_ERROR`
   */
  readonly onHostError?: (error: unknown) => void;
}

const {
  executor,
  tools,
  catalog,
  languages,
  labels,
  policy,
  programTimeoutMs,
  yieldAfterMs,
  maxResultBytes,
  hints,
  onHostError,
} = CODE_TOOL.names;

export const MCP_CODE_SERVER: OptionsObject<McpCodeServerOptions> = {
  of: 'mcpServer',
  names: {
    executor,
    tools,
    catalog,
    languages,
    labels,
    policy,
    programTimeoutMs,
    yieldAfterMs,
    maxResultBytes,
    hints,
    onHostError,
  },
  page: 'docs/mcp-server.md',
  required: ['executor'],
  otherWords: { timeout: 'programTimeoutMs', timeoutMs: 'programTimeoutMs' },
};
