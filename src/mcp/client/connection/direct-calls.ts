import type { JSONRPCMessage, specTypeSchemas, Transport } from '@modelcontextprotocol/client';
import { createDeferred, type Deferred } from '../../../shared/async/deferred.ts';
import { messageOf } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/guards.ts';
import { onCallAbort } from '../../../tools/call-abort.ts';
import type { ToolContext } from '../../../tools/tool.ts';
import type { CallTool } from './call-tool.ts';

/** The id of the first call. The client counts its own requests from 0. */
const FIRST_ID = 1_000_000_000;

/** A call that the server has not answered. */
interface WaitingCall extends Deferred<unknown> {
  readonly progress: ToolContext['progress'];
}

/**
 * Calls tools over the transport of a client that is connected, in a revision of 2025. All other
 * messages are still the client's, such as what the server asks meanwhile. A request of the client
 * takes much more processor time: it checks each answer three times, and sets a timer.
 */
export class DirectCalls {
  readonly #transport: Transport;
  readonly #schemas: typeof specTypeSchemas;
  readonly #waiting: Map<number, WaitingCall> = new Map();
  #nextId = FIRST_ID;

  /** @param schemas - What the package of the client exports under this name. */
  constructor(transport: Transport, schemas: typeof specTypeSchemas) {
    this.#transport = transport;
    this.#schemas = schemas;
    const pass = transport.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    transport.onmessage = (message, extra) => {
      if (!this.#take(message)) pass?.(message, extra);
    };
  }

  readonly call: CallTool = async ({ name }, input, context) => {
    const id = this.#nextId++;
    const call = { ...createDeferred<unknown>(), progress: context.progress };
    this.#waiting.set(id, call);
    let isSent = false;
    const stopListening = onCallAbort(context, (reason) => {
      const message = messageOf(reason);
      const isWaiting = this.#waiting.delete(id);
      call.reject(new Error(message, { cause: reason }));
      // If the server cannot be reached, it has no call to cancel.
      if (isWaiting && isSent) this.#cancel(id, message).catch(() => {});
    });
    try {
      if (this.#waiting.has(id)) {
        isSent = true;
        const params = { name, arguments: input, _meta: { progressToken: id } };
        const sent = this.#transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
        sent.catch((cause: unknown) => call.reject(cause));
      }
      return this.#checked(await call.promise);
    } finally {
      stopListening();
      this.#waiting.delete(id);
    }
  };

  /** Rejects the calls that wait: their connection has ended. */
  end(error: Error): void {
    for (const call of this.#waiting.values()) call.reject(error);
  }

  async #cancel(requestId: number, reason: string): Promise<void> {
    const method = 'notifications/cancelled';
    await this.#transport.send({ jsonrpc: '2.0', method, params: { requestId, reason } });
  }

  /** @returns whether a message is about a call, perhaps one that does not wait any more. */
  #take(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      return message.method === 'notifications/progress' && this.#report(message.params);
    }
    const id = Number(message.id);
    if (!isOfCall(id)) return false;
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('error' in message) call?.reject(new Error(message.error.message));
    else call?.resolve(message.result);
    return true;
  }

  #report(params: unknown): boolean {
    const token = isRecord(params) ? Number(params['progressToken']) : undefined;
    if (!isOfCall(token)) return false;
    const report = this.#schemas.ProgressNotificationParams['~standard'].validate(params);
    if (report.issues !== undefined) return true;
    const { progress, total, message } = report.value;
    this.#waiting.get(token)?.progress({ progress, total, message });
    return true;
  }

  /** @throws Error if a result is not what the protocol allows. */
  #checked(result: unknown): unknown {
    if (isPlainText(result)) return result;
    const checked = this.#schemas.CallToolResult['~standard'].validate(result);
    if (checked.issues === undefined) return checked.value;
    const issues = checked.issues.map(({ message, path = [] }) => {
      const keys = path.map((step) => (typeof step === 'object' ? step.key : step));
      return `${keys.map(String).join('.')}: ${message}`;
    });
    throw new Error(`Invalid result for tools/call: ${issues.join(', ')}`);
  }
}

function isOfCall(id: number | undefined): id is number {
  return id !== undefined && id >= FIRST_ID;
}

/** Whether a result is nothing but one text, as most are. Then nothing else needs to be checked. */
function isPlainText(result: unknown): boolean {
  if (!isRecord(result)) return false;
  const { content, ...others } = result;
  if (!Array.isArray(content) || content.length !== 1 || Object.keys(others).length > 0) {
    return false;
  }
  const part: unknown = content[0];
  if (!isRecord(part)) return false;
  const { type, text } = part;
  return type === 'text' && typeof text === 'string' && Object.keys(part).length === 2;
}
