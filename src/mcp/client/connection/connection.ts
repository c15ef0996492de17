import { AnySignal } from '../../../shared/async/any-signal.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { onAbort } from '../../../shared/async/on-abort.ts';
import { escapeControls } from '../../../shared/control-characters.ts';
import { messageOf } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/guards.ts';
import { ToolCallFailure } from '../../../tools/tool-call-failure.ts';
import { loginProblem } from '../auth/login-problem.ts';
import { listTools, type ReceivedTool } from '../tools/list-tools.ts';
import type { McpServer } from '../mcp-server.ts';
import { openClient, type OpenClient } from './open-client.ts';
import { ServerRequests } from '../requests/server-requests.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** A server may announce changes without end. */
const LIST_PAUSE_MS = 1000;

/** How long a server may take to list its tools, in milliseconds. */
const LIST_TIMEOUT_MS = 60_000;

/**
 * The connection to a server. If it is lost, the first call after a pause opens it again. So a server
 * that ends at once, again and again, is started once a minute at most, and only if it is used.
 */
export class Connection implements AsyncDisposable {
  readonly #server: McpServer;
  readonly #requests: ServerRequests;
  readonly #onListed: (tools: readonly ReceivedTool[]) => void;
  readonly #end: AbortController = new AbortController();
  #opening: Promise<OpenClient> | undefined;
  #open: OpenClient | undefined;
  #failures = 0;
  /** By `performance.now()`. */
  #retryAt = 0;
  /** The ends of lost connections. */
  readonly #endings: Set<Promise<void>> = new Set();
  #listing: Promise<void> | undefined;
  #mustList = false;
  /** When the tools may be listed again, by `performance.now()`. */
  #listAt = 0;

  /** @param onListed - Gets the tools of each new connection, and after each change. */
  constructor(server: McpServer, onListed: (tools: readonly ReceivedTool[]) => void) {
    this.#server = server;
    this.#requests = new ServerRequests(server);
    this.#onListed = onListed;
  }

  /**
   * The client and how it calls tools, once the server is connected and its tools are known.
   * @throws ToolCallFailure `Unavailable` during a pause, and what connecting throws.
   */
  async client(): Promise<OpenClient> {
    const { name } = this.#server;
    if (this.#end.signal.aborted) throw unavailable(`the connection to ${name} was closed`);
    if (this.#open !== undefined) return this.#open;
    const leftMs = this.#retryAt - performance.now();
    if (this.#opening === undefined && leftMs > 0) {
      const seconds = Math.ceil(leftMs / 1000);
      throw unavailable(
        `the MCP server ${name} is not connected; the first call after ${seconds} s connects it again`,
      );
    }
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /**
   * Does what a call of a tool needs, such as a request. Notes it if the connection turns out to be
   * lost.
   * @param work - Talks to the server: other errors than `ToolCallFailure` count as the connection's.
   * @throws ToolCallFailure
   */
  async use<Result>(work: (open: OpenClient) => Promise<Result>): Promise<Result> {
    const open = this.#open ?? (await this.#connected());
    try {
      return await this.#requests.calls.during(async () => work(open));
    } catch (error) {
      if (error instanceof ToolCallFailure) throw error;
      if (isLost(error)) {
        this.#lose(open);
        throw this.#unreachable(error);
      }
      const notLoggedIn = this.#notLoggedIn(error);
      if (notLoggedIn !== undefined) throw notLoggedIn;
      const message =
        isRecord(error) && error['code'] === NOT_PROVIDED ? ASKED_IN_VAIN : messageOf(error);
      throw new ToolCallFailure('Failed', escapeControls(message), { cause: error });
    }
  }

  /** @throws ToolCallFailure */
  async #connected(): Promise<OpenClient> {
    try {
      return await this.client();
    } catch (error) {
      if (error instanceof ToolCallFailure) throw error;
      throw this.#notLoggedIn(error) ?? this.#unreachable(error);
    }
  }

  /** Notes that a call failed because the connection does not work any more. */
  #lose(open: OpenClient): void {
    if (this.#open !== open) return;
    this.#open = undefined;
    this.#pause();
    const ending = open.close().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  /**
   * Lists the tools again. If they cannot be listed, they stay as they are. A server may announce
   * changes faster than it can be asked, so it is asked once at a time, and once a second.
   */
  async listAgain(): Promise<void> {
    this.#mustList = true;
    this.#listing ??= this.#listWhileChanged();
    await this.#listing;
  }

  async close(): Promise<void> {
    this.#end.abort(unavailable(`the connection to ${this.#server.name} was closed`));
    await this.#opening?.catch(() => {});
    const open = this.#open;
    this.#open = undefined;
    await Promise.all([open?.close(), ...this.#endings]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #connect(): Promise<OpenClient> {
    let open: OpenClient | undefined;
    try {
      const events = {
        onLost: () => open && this.#lose(open),
        onToolsChanged: () => inBackground(this.listAgain()),
      };
      open = await openClient(this.#server, this.#requests, events, this.#end.signal);
      this.#mustList = false;
      this.#onListed(await this.#list(open));
      this.#end.signal.throwIfAborted();
    } catch (error) {
      await open?.close();
      this.#pause();
      throw error;
    }
    this.#failures = 0;
    this.#open = open;
    // The server may have announced a change while it was asked.
    if (this.#mustList) inBackground(this.listAgain());
    return open;
  }

  async #listWhileChanged(): Promise<void> {
    // So that the caller has set the promise.
    await Promise.resolve();
    try {
      while (this.#mustList && this.#open !== undefined) {
        await this.#waitToList();
        await this.#listOnce();
      }
    } catch {
      // If the connection is lost, the next one lists them.
    } finally {
      this.#listing = undefined;
    }
  }

  async #listOnce(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#mustList = false;
    this.#listAt = performance.now() + LIST_PAUSE_MS;
    const tools = await this.#list(open);
    if (this.#open === open) this.#onListed(tools);
  }

  /** Ends early if the connection is closed. */
  async #waitToList(): Promise<void> {
    const leftMs = this.#listAt - performance.now();
    if (leftMs <= 0) return;
    const over = createDeferred<undefined>();
    const stop = (): void => over.resolve(undefined);
    const timer = setTimeout(stop, leftMs);
    const stopListening = onAbort(this.#end.signal, stop);
    if (this.#end.signal.aborted) stop();
    await over.promise;
    stopListening();
    clearTimeout(timer);
  }

  async #list({ client, sendsHeaders }: OpenClient): Promise<readonly ReceivedTool[]> {
    using within = new AnySignal(this.#end.signal, AbortSignal.timeout(LIST_TIMEOUT_MS));
    return await listTools(client, sendsHeaders, within.signal);
  }

  #unreachable(cause: unknown): ToolCallFailure {
    const message = `the MCP server ${this.#server.name} cannot be reached, so it is unknown whether it carried the call out; try again later`;
    return new ToolCallFailure('Unavailable', message, { cause });
  }

  #notLoggedIn(error: unknown): ToolCallFailure | undefined {
    const problem = loginProblem(error, this.#server);
    if (problem === undefined) return undefined;
    return unavailable(
      `the MCP server ${this.#server.name} did not carry the call out: ${problem.text}`,
    );
  }

  #pause(): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#retryAt = performance.now() + pauseMs;
  }
}

/** Whether an error of a client says that its connection does not work any more. */
function isLost(error: unknown): boolean {
  if (!isRecord(error)) return false;
  const { code, name, status, message } = error;
  // By 404, a server says that it does not know the session any more. `fetch` throws TypeErrors.
  if (LOST.has(code) || name === 'TypeError' || status === 404) return true;
  // A client that was closed throws it without a code.
  return message === 'Not connected';
}

const LOST: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);

/** The client's code for a request of the server that nothing answers here. */
const NOT_PROVIDED = 'CAPABILITY_NOT_SUPPORTED';
const ASKED_IN_VAIN = 'the server asked for input of a user or a model, which it does not get here';

function unavailable(message: string): ToolCallFailure {
  return new ToolCallFailure('Unavailable', message);
}
