import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { PtcError } from '../../shared/errors.ts';
import { toBareJson } from '../../shared/json/bare-json.ts';
import { toJsonText, type JsonObject } from '../../shared/json/json.ts';
import { checkOptionNames } from '../../shared/options/option-names.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { showValue } from '../../shared/show-value.ts';
import type { RemoteCall } from '../../calls/tool-invocation.ts';
import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import { ANSWER_OPTIONS, type CallAnswer, type HeldCall } from './held-program.ts';

interface OpenCall {
  readonly call: HeldCall;
  /** The result as JSON text. */
  readonly answer: Deferred<string>;
}

/** The calls of remote tools of one program that wait for their answers. */
export class RemoteCalls {
  readonly #open: Map<string, OpenCall> = new Map();
  /** Those that were open once, to say so if somebody answers them too late. */
  readonly #closed: Set<string> = new Set();
  /** Those that are being checked. What the program waits for is not known before they are open. */
  readonly #arriving: Set<string> = new Set();
  readonly #onOpen: (call: RemoteCall) => void;
  readonly #onClose: (callId: string) => void;
  readonly #onArrived: () => void;

  constructor(listener: {
    readonly opened: (call: RemoteCall) => void;
    readonly closed: (callId: string) => void;
    /** No call is being checked any more. */
    readonly arrived: () => void;
  }) {
    this.#onOpen = listener.opened;
    this.#onClose = listener.closed;
    this.#onArrived = listener.arrived;
  }

  /** Whether a call is being checked. */
  get areArriving(): boolean {
    return this.#arriving.size > 0;
  }

  /** A call has been received. */
  arrive(callId: string): void {
    this.#arriving.add(callId);
  }

  /** The call waits for a person or for its answer, or has ended. */
  arrived(callId: string): void {
    if (this.#arriving.delete(callId) && !this.areArriving) this.#onArrived();
  }

  get size(): number {
    return this.#open.size;
  }

  /** In the order in which they were opened. */
  get list(): readonly HeldCall[] {
    return [...this.#open.values()].map(({ call }) => call);
  }

  /**
   * Waits for the answer, which is the result as JSON text.
   * @throws ToolCallFailure if the answer is that the tool failed.
   */
  async ask(remote: RemoteCall): Promise<string> {
    const answer = createDeferred<string>();
    this.#open.set(remote.callId, { call: heldCall(remote), answer });
    this.#onOpen(remote);
    return answer.promise;
  }

  /** Nothing waits for the call any more. */
  close(callId: string): void {
    if (!this.#open.delete(callId)) return;
    this.#closed.add(callId);
    this.#onClose(callId);
  }

  /** @throws PtcError as `HeldProgram.answer`. */
  answer(callId: string, answer: CallAnswer): void {
    checkOptionNames(answer, ANSWER_OPTIONS);
    const open = this.#open.get(callId);
    if (open === undefined) throw notOpen(callId, this.#closed.has(callId));
    const settle = settlementOf(answer, open.answer);
    this.close(callId);
    settle();
  }
}

function heldCall({ callId, toolName, argumentsText, timeoutMs }: RemoteCall): HeldCall {
  return {
    callId,
    toolName,
    get arguments() {
      const parsed = JSON.parse(argumentsText) as JsonObject;
      const bare = toBareJson(parsed);
      return bare.ok ? bare.value : parsed;
    },
    expiresAtMs: Date.now() + timeoutMs,
  };
}

function settlementOf(answer: CallAnswer, waiting: Deferred<string>): () => void {
  const { error } = answer;
  // A result may be undefined, as that of a tool that returns nothing.
  const isValid = error === undefined ? 'result' in answer : answer.result === undefined;
  if (!isValid) {
    throw invalidOption('answer', answer, 'either { result } or { error }, and not both');
  }
  if (error !== undefined) return () => waiting.reject(new ToolCallFailure('Failed', error));
  const text = toJsonText(answer.result);
  return () => waiting.resolve(text);
}

/** @param wasOpen - Whether it was open once. */
export function notOpen(callId: string, wasOpen: boolean): PtcError {
  const why = wasOpen
    ? 'it was answered, took too long, or was given up by its program'
    : 'the program has no such call of a remote tool, or makes it later';
  const message = `The call ${showValue(callId)} is not open: ${why}. Answer the calls that next() reports, each once.`;
  return new PtcError('CALL_NOT_OPEN', message, { details: { callId } });
}
