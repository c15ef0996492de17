import { inBackground } from '../../shared/async/background.ts';
import { onAbort } from '../../shared/async/on-abort.ts';
import { PtcError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import { timeLimitsOf } from '../../tools/limits/call-deadline.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import type { ToolSource } from '../../tools/registry/tool-source.ts';
import type { Tool } from '../../tools/tool.ts';
import { loginFailed } from './auth/login-problem.ts';
import { readCallResult } from './tools/call-result.ts';
import { Connection } from './connection/connection.ts';
import { ListedTools, type CallListedTool } from './tools/listed-tools.ts';
import type { ReceivedTool } from './tools/list-tools.ts';
import { checkServer, givenServer, type McpServer, type McpStdioServer } from './mcp-server.ts';
import { checkAccepted, Pins, type ToolPins, type UnacceptedTool } from './pin/pins.ts';
import { UnacceptedWarnings } from './pin/warn-of-unaccepted.ts';
import { beside, resourceTools } from './resources/resource-tools.ts';
import { LeftOutWarnings } from './tools/warn-of-left-out.ts';

/** The tools of an MCP server, for `ToolRegistry.addSource`. */
export interface McpTools extends ToolSource<unknown>, AsyncDisposable {
  /** The tools as the server last listed them. */
  tools(): readonly Tool<unknown>[];
  onChange(listener: () => void): () => void;
  /**
   * Lists the tools again, which is necessary only with a client of your own. If they cannot be
   * listed, they stay as they are.
   */
  refresh(): Promise<void>;
  /**
   * The digests of all tools that were accepted, to keep for the option `pin` of a later process.
   * Empty without `pin`.
   */
  pins(): ToolPins;
  /**
   * The tools that the server lists now and that wait for `accept`: those whose definitions it has
   * changed, and with digests as `pin`, new ones. None without `pin`.
   */
  unaccepted(): readonly UnacceptedTool[];
  /**
   * Accepts these definitions. The next program has them.
   * @returns whether all were accepted. If the server lists another definition of a tool by now, that
   *   tool stays as it is, and `unaccepted` has what the server lists.
   * @throws PtcError `OPTION_INVALID` for a value that is not an array of tools with name and digest.
   */
  accept(tools: readonly Pick<UnacceptedTool, 'name' | 'digest'>[]): boolean;
  /**
   * Ends the connection, and the process of a server that was started here. Later calls fail with a
   * `ToolError` of type `Unavailable`.
   */
  close(): Promise<void>;
}

/**
 * Connects to an MCP server, and returns its tools as a source. Call `close` when they are not
 * needed any more.
 * @throws PtcError `OPTION_INVALID` or `TOOL_INVALID` for options that cannot be used,
 * `MCP_CLIENT_MISSING` without the package `@modelcontextprotocol/client`, and `MCP_SERVER_FAILED`
 * if the server cannot be started, reached or understood, `MCP_LOGIN_REQUIRED` if a person has to log
 * in; `ABORTED` if its `signal` fires.
 */
export async function mcpTools(server: McpServer): Promise<McpTools> {
  checkServer(server);
  return connected(givenServer(server));
}

async function connected(server: McpServer): Promise<McpTools> {
  const { signal } = server;
  const source = new McpSource(server);
  const stopListening = signal && onAbort(signal, () => inBackground(source.close()));
  try {
    signal?.throwIfAborted();
    await source.open();
    signal?.throwIfAborted();
  } catch (error) {
    await source.close();
    if (signal?.aborted === true) throw aborted(server, signal);
    throw PtcError.isInstance(error) ? error : serverFailed(server, error);
  } finally {
    stopListening?.();
  }
  return source;
}

function aborted({ name }: McpServer, { reason }: AbortSignal): PtcError {
  const message = `Connecting to the MCP server ${name} was aborted by its signal.`;
  return new PtcError('ABORTED', message, { cause: reason });
}

class McpSource implements McpTools {
  readonly name: string;
  readonly #connection: Connection;
  readonly #listed: ListedTools;
  readonly #pins: Pins | undefined;
  readonly #unaccepted: UnacceptedWarnings;
  readonly #leftOut: LeftOutWarnings;
  readonly #resourceTools: readonly Tool<unknown>[];
  readonly #listeners: Set<() => void> = new Set();
  #tools: readonly Tool<unknown>[] = [];

  constructor(server: McpServer) {
    this.name = server.name;
    this.#connection = new Connection(server, (listed) => this.#take(listed));
    this.#pins = server.pin ? new Pins(server.pin) : undefined;
    const limits = timeLimitsOf(server);
    this.#listed = new ListedTools((...call) => this.#call(...call), limits, this.#pins);
    this.#unaccepted = new UnacceptedWarnings(server.name);
    this.#leftOut = new LeftOutWarnings(server.name);
    this.#resourceTools = server.resources === true ? resourceTools(this.#connection, limits) : [];
  }

  tools(): readonly Tool<unknown>[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  pins(): ToolPins {
    return this.#pins?.all() ?? {};
  }

  unaccepted(): readonly UnacceptedTool[] {
    return this.#listed.unaccepted;
  }

  accept(tools: readonly Pick<UnacceptedTool, 'name' | 'digest'>[]): boolean {
    checkAccepted(tools);
    const { listed, areAll } = this.#listed.accept(tools);
    this.#take(listed);
    return areAll;
  }

  async open(): Promise<void> {
    await this.#connection.client();
  }

  async refresh(): Promise<void> {
    await this.#connection.listAgain();
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #take(listed: readonly ReceivedTool[]): void {
    const read = this.#listed.read(listed);
    const { tools, leftOut: hidden } = beside(read.tools, this.#resourceTools);
    this.#leftOut.warnOf([...read.leftOut, ...hidden]);
    this.#unaccepted.warnOf(this.#listed.unaccepted);
    const before = this.#tools;
    const isSame = tools.length === before.length && tools.every((tool, at) => tool === before[at]);
    if (isSame) return;
    this.#tools = tools;
    for (const listener of this.#listeners) listener();
  }

  readonly #call: CallListedTool = async (tool, input, context, validate) => {
    const result = await this.#connection.use(async ({ callTool }) => {
      if (!this.#listed.canCall(tool.name)) throw changed(this.name);
      return callTool(tool, input, context);
    });
    return readCallResult(result, validate);
  };
}

function changed(server: string): ToolCallFailure {
  const message = `the MCP server ${server} does not list this tool any more as it was accepted, so the call was not made; a person must accept the change first`;
  return new ToolCallFailure('Changed', message);
}

/** @param cause - Its message may quote the server, so it is not repeated. */
function serverFailed(server: McpServer, cause: unknown): PtcError {
  const failed = loginFailed(cause, server);
  if (PtcError.isInstance(failed)) return failed;
  return new PtcError(
    'MCP_SERVER_FAILED',
    `The MCP server ${server.name} cannot be used: ${reasonOf(server, cause)}`,
    { cause, details: { server: server.name } },
  );
}

function adviceAbout({ command, args, cwd }: McpStdioServer): string {
  // No shell reads it, so what follows a space is part of the program's name.
  if (args === undefined && /\s/.test(command)) return 'Put its arguments into args.';
  return `Install it, or correct command${cwd === undefined ? '' : ' or cwd'}.`;
}

function reasonOf(server: McpServer, cause: unknown): string {
  if (cause instanceof ToolCallFailure) return `${cause.message}.`;
  const { code, status } = isRecord(cause) ? cause : {};
  if ('command' in server) {
    const command = JSON.stringify(server.command);
    return code === 'ENOENT' || code === 'EACCES'
      ? `the command ${command} cannot be started (${code}). ${adviceAbout(server)}`
      : `the command ${command} did not answer as an MCP server. Run it in a terminal to see what it prints.`;
  }
  return 'url' in server
    ? `${new URL(server.url).origin} did not answer as an MCP server${typeof status === 'number' ? ` (status ${status})` : ''}. Check url, and that the server runs.`
    : 'its client did not list the tools. Connect it before you pass it.';
}
