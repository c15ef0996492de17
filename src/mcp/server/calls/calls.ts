import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server';
import { EXECUTE_CODE } from '../../../orchestrator/code/code-tool-definition.ts';
import { MAXIMUM_ANSWER_NESTING } from '../../../orchestrator/conversation/conversation-document.ts';
import { PtcError } from '../../../shared/errors.ts';
import { canonicalJson } from '../../../shared/json/canonical-json.ts';
import type { JsonObject } from '../../../shared/json/json.ts';
import { isNestedDeeper } from '../../../shared/json/nesting.ts';
import { answerCall } from './answer-call.ts';
import { MAX_OF_CALLER, type CallerCalls } from './caller-calls.ts';
import type { CodeSessions } from '../sessions/code-sessions.ts';
import { canElicit } from './elicitation.ts';
import type { Served, ToolRequest } from '../served.ts';
import { ToolCall, type Asking } from './tool-call.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

/** The revisions of the protocol: those of 2024 and 2025, or those since 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** What a client sends back with the answers to the questions of a call. */
interface Round {
  readonly id: string;
}

/** A call that waits for answers, without a request that waits for it. */
interface WaitingCall {
  readonly call: ToolCall;
  /** Of its request, which can have megabytes. */
  readonly digest: string;
  /** The questions that the client was asked. */
  readonly questions: readonly string[];
  readonly timer: NodeJS.Timeout;
}

/** The calls of one connection, or of an endpoint whose clients have no connections. */
export class Calls {
  readonly #id: string = randomUUID();
  readonly #sdk: Sdk;
  readonly #served: Served;
  readonly #sessions: CodeSessions;
  readonly #callers: CallerCalls;
  readonly #running: Set<ToolCall> = new Set();
  /** What frees the session and the place of each call that runs or waits for an answer. */
  readonly #ends: Map<ToolCall, () => void> = new Map();
  /** By an id that is used once, so that no answer counts twice. */
  readonly #waiting: Map<string, WaitingCall> = new Map();
  readonly #states: RequestStateCodec<Round>;
  readonly #waitMs: number;
  #isClosed = false;

  constructor(sdk: Sdk, served: Served, sessions: CodeSessions, callers: CallerCalls) {
    this.#sdk = sdk;
    this.#served = served;
    this.#sessions = sessions;
    this.#callers = callers;
    this.#waitMs = served.policy?.approvalTimeoutMs ?? 300_000;
    this.#states = sdk.createRequestStateCodec<Round>({
      key: randomBytes(32),
      ttlSeconds: Math.ceil(this.#waitMs / 1000) + 1,
      bind: callerOf,
    });
  }

  get hasHandles(): boolean {
    return this.#sessions.hasHandles;
  }

  /** Checks what a client sends back with its answers. @throws if this server did not make it, or not for this caller. */
  async verify(state: string, request: ServerContext): Promise<Round> {
    return this.#states.verify(state, request);
  }

  /**
   * Carries a call out.
   * @returns Its result, or questions to the user.
   * @throws what kept the host from carrying it out, or a `ProtocolError` for a wrong request.
   */
  async answer(
    request: ToolRequest,
    context: ServerContext,
    client: { readonly era: Era; readonly capabilities: unknown },
  ): Promise<CallToolResult | InputRequiredResult> {
    const round = client.era === 'modern' ? context.mcpReq.requestState<Round>() : undefined;
    const call =
      round === undefined
        ? this.#begin(request, context, askingOf(client))
        : this.#resume(round, request, context);
    if (!(call instanceof ToolCall)) return call;
    try {
      const result = await call.next();
      return result ?? (await this.#suspend(call, request, context));
    } finally {
      call.detach();
    }
  }

  /** Whether calls run or wait for an answer. */
  get areRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Stops all calls, and ends the sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [id, { call }] of this.#waiting) this.#giveUp(id, call);
    for (const call of this.#running) call.stop();
    await Promise.allSettled([...this.#running].map(async ({ result }) => result));
    await this.#sessions.close();
  }

  #begin(request: ToolRequest, context: ServerContext, asking: Asking): ToolCall | CallToolResult {
    if (this.#isClosed) throw new PtcError('CLOSED', 'This MCP server is closed.');
    const { name } = request;
    const isCode = name === EXECUTE_CODE;
    const caller = callerOf(context);
    if (!this.#callers.hasRoom(caller)) throw new this.#sdk.ProtocolError(REFUSED, TOO_MANY_CALLS);
    const { session } = request.arguments;
    // Models send null or an empty text for a field that they leave out.
    const handle = session === null || session === '' ? undefined : session;
    const use = isCode ? this.#sessions.use(caller, handle) : undefined;
    if (isCode && use === undefined) return UNKNOWN_SESSION;
    const uncount = this.#callers.begin(caller);
    let hasRun = false;
    const call = new ToolCall(context, asking, async (client) => {
      const isLong = this.#served.yieldAfterMs !== undefined;
      const latestCall = isLong ? use?.latestCall : undefined;
      let detach = (): void => {};
      const attach = (): void => {
        detach = latestCall?.attach(client) ?? detach;
      };
      // A call with another program does not wait for the one that runs.
      if (request.arguments['program'] !== undefined) attach();
      try {
        const about = { ...client, ...latestCall?.client, id: `${this.#id} ${caller}` };
        const result = await answerCall(this.#served, request, use, {
          ...about,
          onProgramStarted: attach,
        });
        if (result === undefined) {
          const { ProtocolError, ProtocolErrorCode } = this.#sdk;
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, NO_TOOL);
        }
        hasRun = result.structuredContent !== undefined;
        return result;
      } finally {
        this.#running.delete(call);
        detach();
        this.#endIfOver(call);
      }
    });
    this.#running.add(call);
    this.#ends.set(call, () => {
      // Nobody gets the result of a stopped call, and with it the name of a new session.
      use?.release(hasRun && !call.isStopped);
      uncount();
    });
    return call;
  }

  #resume({ id }: Round, request: ToolRequest, context: ServerContext): ToolCall {
    const waiting = this.#waiting.get(id);
    // A call with deeper arguments is refused, and never waits.
    const isTooDeep = isNestedDeeper(request.arguments, MAXIMUM_ANSWER_NESTING);
    if (waiting === undefined || isTooDeep || waiting.digest !== digestOf(request)) {
      const { ProtocolError, ProtocolErrorCode } = this.#sdk;
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'This requestState is not one of a call that waits: it was used before, its time is up, or it belongs to another call.',
      );
    }
    this.#take(id);
    const { call, questions } = waiting;
    call.attach(context);
    call.answer(questions, context.mcpReq.inputResponses);
    return call;
  }

  async #suspend(
    call: ToolCall,
    request: ToolRequest,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    // Calls that a program makes at the same time are asked about together.
    await nextTurn();
    if (!this.#running.has(call)) {
      call.withdraw();
      return call.result;
    }
    if (this.#isClosed || context.mcpReq.signal.aborted) {
      call.stop();
      throw new PtcError('ABORTED', 'The client no longer waits for this call.');
    }
    const inputRequests = call.inputRequests;
    const id = randomBytes(16).toString('base64url');
    const timer = setTimeout(() => this.#giveUp(id, call), this.#waitMs);
    const [digest, questions] = [digestOf(request), Object.keys(inputRequests)];
    this.#waiting.set(id, { call, digest, questions, timer });
    const requestState = await this.#states.mint({ id }, context);
    return this.#sdk.inputRequired({ inputRequests, requestState });
  }

  /** No client will ask for the result of a call. */
  #giveUp(id: string, call: ToolCall): void {
    if (this.#running.has(call)) call.stop();
    else {
      call.withdraw();
      call.result.catch(this.#served.onHostError);
    }
    this.#take(id);
  }

  /** A call no longer waits for an answer. */
  #take(id: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    this.#endIfOver(waiting.call);
  }

  /** A call can wait for an answer after it has ended: its client gets the result for the answer. */
  #endIfOver(call: ToolCall): void {
    const waiting = [...this.#waiting.values()];
    if (this.#running.has(call) || waiting.some((one) => one.call === call)) return;
    this.#ends.get(call)?.();
    this.#ends.delete(call);
  }
}

/** Equal for the same call of the same tool, in whatever order the client sends the arguments. */
function digestOf({ name, arguments: input }: ToolRequest): string {
  const text = canonicalJson([name, input as JsonObject]);
  return createHash('sha256').update(text).digest('base64');
}

/** Who makes a request: the same for all requests with the same token. */
function callerOf({ http }: ServerContext): string {
  return http?.authInfo?.clientId ?? '';
}

function askingOf({ era, capabilities }: { era: Era; capabilities: unknown }): Asking {
  if (!canElicit(capabilities)) return 'never';
  return era === 'modern' ? 'result' : 'request';
}

const NO_TOOL = 'There is no tool of this name.';

/** A code that JSON-RPC leaves to servers. */
const REFUSED = -32_000;
const TOO_MANY_CALLS = `${MAX_OF_CALLER} calls of this caller run or wait for an answer. Make this call again when one of them has ended.`;

/** The same for a session that never existed, has ended or belongs to another caller. */
const UNKNOWN_SESSION: CallToolResult = {
  content: [
    {
      type: 'text',
      text: 'There is no such session, so nothing was run. Leave `session` out to get a new one: it has no variables of earlier programs.',
    },
  ],
  isError: true,
};
