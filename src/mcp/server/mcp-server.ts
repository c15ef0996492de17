import { CodeTool } from '../../orchestrator/code/code-tool.ts';
import { checkExecutor } from '../../sessions/executor.ts';
import { checkLabels } from '../../sessions/options/keys-and-labels.ts';
import { offeredLanguages } from '../../sessions/options/language-choice.ts';
import { checkPolicyNames } from '../../sessions/options/option-names.ts';
import { guardedListener } from '../../shared/listeners/guarded-listener.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { checkOptionNames } from '../../shared/options/option-names.ts';
import { warn } from '../../shared/process-warning.ts';
import { copyPolicy } from '../../tools/policy/policy-gate.ts';
import { checkTools, toolSetOf } from '../../tools/registry/tools-option.ts';
import { withApprover } from './calls/answer-call.ts';
import { CANNOT_ASK } from './calls/elicitation.ts';
import { accessOf, type McpListenOptions } from './http/access.ts';
import { listenHttp, type McpListener } from './http/listen.ts';
import { MCP_CODE_SERVER, type McpCodeServerOptions } from './options.ts';
import type { Served } from './served.ts';
import { connectStdio, MCP_STDIO, type McpStdioOptions } from './stdio.ts';
import { clientTools } from './tools/client-tools.ts';
import { listTools } from './tools/tool-list.ts';

/** An MCP server with `execute_code`, and the tools that clients can call directly. */
export interface McpCodeServer extends AsyncDisposable {
  /**
   * Serves one client over standard input and output, until it leaves or `close` is called. Its
   * programs share one session, which ends with the connection. Nothing else may write to the
   * output.
   * @throws PtcError `OPTION_INVALID`, `CLOSED`, or `MCP_SERVER_MISSING` without the package
   * `@modelcontextprotocol/server`.
   */
  stdio(options?: McpStdioOptions): Promise<void>;
  /**
   * Listens for clients by Streamable HTTP, at the path `/mcp`. A result names the session in which its
   * program ran, and a later call can continue it.
   * @throws PtcError `OPTION_INVALID`, also for a port that is in use; `CLOSED`; or
   * `MCP_SERVER_MISSING` without the packages `@modelcontextprotocol/server` and
   * `@modelcontextprotocol/node`.
   */
  listen(options: McpListenOptions): Promise<McpListener>;
  /** Ends all connections, with their programs and sessions. The executor stays open. */
  close(): Promise<void>;
}

/**
 * Creates an MCP server, whose clients run programs in sandboxes. It speaks the revision 2026-07-28
 * of the protocol and those of 2024 and 2025.
 * @throws PtcError `OPTION_INVALID`, or `TOOL_NAME_CLASH` if a direct tool is named `execute_code`, or
 * if `catalog` is `search` and a tool has the name of one with which programs search.
 */
export function mcpServer(options: McpCodeServerOptions): McpCodeServer {
  checkOptionNames(options, MCP_CODE_SERVER);
  const { executor, tools, policy } = options;
  checkExecutor(executor);
  checkTools(tools);
  if (policy !== undefined) checkPolicyNames(policy);
  return new CodeServer(options);
}

class CodeServer implements McpCodeServer {
  readonly #served: Served;
  readonly #connections: Set<{ close(): Promise<void> }> = new Set();
  #isClosed = false;

  constructor({ onHostError = warnOfHostError, ...options }: McpCodeServerOptions) {
    const { executor, tools = executor.tools, labels } = options;
    const policy = copyPolicy(options.policy ?? executor.policy);
    const { languages = executor.languages, catalog, yieldAfterMs } = options;
    const about = given({
      ...options,
      tools: toolSetOf(tools),
      // Replaced with each call.
      policy: withApprover(policy, async () => CANNOT_ASK),
    });
    const newCodeTool = (): CodeTool => new CodeTool(about);
    this.#served = {
      executor,
      tools: about.tools,
      policy,
      catalog: { catalog, policy, languages: offeredLanguages(languages) },
      labels: checkLabels(labels),
      yieldAfterMs,
      codeTool: newCodeTool(),
      newCodeTool,
      onHostError: guardedListener(onHostError),
    };
    // Refuses tools with a name that the server needs.
    listTools(clientTools(this.#served).all, { ...this.#served, hasHandles: false });
  }

  async stdio(options: McpStdioOptions = {}): Promise<void> {
    checkOptionNames(options, MCP_STDIO);
    const connection = await this.#open(async () => connectStdio(this.#served, options));
    try {
      await connection.ended;
    } finally {
      this.#connections.delete(connection);
    }
  }

  async listen(options: McpListenOptions): Promise<McpListener> {
    accessOf(options);
    const listener = await this.#open(async () => listenHttp(this.#served, options));
    const close = async (): Promise<void> => {
      await listener.close();
      this.#connections.delete(listener);
    };
    return { url: listener.url, close, [Symbol.asyncDispose]: close };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections].map(async (connection) => connection.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Opens a connection, unless the server was closed before or meanwhile. */
  async #open<Connection extends { close(): Promise<void> }>(
    connect: () => Promise<Connection>,
  ): Promise<Connection> {
    const connection = this.#isClosed ? undefined : await connect();
    if (connection !== undefined && !this.#isClosed) {
      this.#connections.add(connection);
      return connection;
    }
    await connection?.close();
    throw new PtcError('CLOSED', 'This MCP server is closed. Create a new one.');
  }
}

function warnOfHostError(error: unknown): void {
  const code = PtcError.isInstance(error) ? `${error.code}: ` : '';
  warn(`An MCP client could not be served: ${code}${messageOf(error)}`, 'PTC_HOST_ERROR');
}
