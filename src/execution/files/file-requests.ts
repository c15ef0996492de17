import { randomUUID } from 'node:crypto';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { onAbort } from '../../shared/async/on-abort.ts';
import { SerialQueue } from '../../shared/async/serial-queue.ts';
import { PtcError } from '../../shared/errors.ts';
import type { FileAnswerMessage, FileOperation } from '../../protocol/file-messages.ts';
import type { Transport } from '../../protocol/transport.ts';
import { fileError, filesAborted } from './file-failure.ts';

/** How long the sandbox may take for one request. A piece takes milliseconds, a search seconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * How long the sandbox may take after the caller has aborted. Then the work is cancelled, which also
 * ends the other transfers of the session.
 */
const ANSWER_GRACE_MS = 1000;
/**
 * So many pieces of files are under way at a time: while one is written or read, others are on their
 * way. The result of a tool waits for that many at most.
 */
export const MOST_PIECES = 3;
/** So many answers to requests that were given up may be missing. A runner answers each at once. */
const MOST_GIVEN_UP = 100;

/** An operation, and how its answer is read. */
export interface FileRequest<Result> {
  readonly operation: FileOperation;
  /** @throws PtcError `PROTOCOL_VIOLATION` for an answer that does not fit. */
  readonly read: (answer: FileAnswerMessage) => Result;
}

/** A request that is under way. */
interface Waiting {
  readonly take: (answer: FileAnswerMessage) => void;
  readonly end: (error: Error) => void;
}

/** A sandbox that carries out requests. */
export interface FileSandbox {
  readonly send: <Result>(
    request: FileRequest<Result>,
    signal: AbortSignal | undefined,
  ) => Promise<Result>;
  /** Fires when all requests fail from now on. */
  readonly ended: AbortSignal;
  /** Each `append` waits here for those before it, so that what one adds stays together. */
  readonly appends: SerialQueue;
}

/**
 * The requests about files to one runner, which are carried out in their order. One is under way at
 * a time, or a few pieces of files. So an answer says that there is room for the next one, and files
 * in transfer take turns.
 */
export class FileRequests implements FileSandbox {
  readonly #transport: Pick<Transport, 'send'>;
  /** Settles when those that were asked for are sent, and the next one can be. */
  #sent: Promise<void> = Promise.resolve();
  /** Begins each id: an answer to an earlier host may arrive. */
  readonly #host: string = randomUUID();
  #count = 0;
  /** Those that are under way, by their ids. */
  readonly #underWay: Map<string, Waiting> = new Map();
  /** Settles when one more is answered. */
  #answer: Deferred<void> | undefined;
  /** The ids of requests that nobody waits for and that are not answered. */
  readonly #givenUp: Set<string> = new Set();
  /** Why all requests fail; undefined as long as the runner lives. */
  #end: Error | undefined;
  readonly #onFault: (error: PtcError) => void;
  readonly #ended: AbortController = new AbortController();
  readonly appends: SerialQueue = new SerialQueue();

  /** @param onFault - Ends the runner, because it broke the protocol. */
  constructor(transport: Pick<Transport, 'send'>, onFault: (error: PtcError) => void) {
    this.#transport = transport;
    this.#onFault = onFault;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Sends a request when those before it are answered.
   * @throws PtcError `FILE_FAILED`, `SANDBOX_LOST`, `PROTOCOL_VIOLATION`, or `ABORTED` if the signal
   * fires.
   */
  async send<Result>(
    request: FileRequest<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    if (signal?.aborted) throw filesAborted(signal);
    const result: Deferred<Result> = createDeferred();
    this.#sent = this.#exchange(request, result, signal, this.#sent).catch((error: unknown) =>
      result.reject(error),
    );
    return result.promise;
  }

  /** Settles when the next request can be sent, which may be before the result or after it. */
  async #exchange<Result>(
    request: FileRequest<Result>,
    result: Deferred<Result>,
    signal: AbortSignal | undefined,
    sent: Promise<void>,
  ): Promise<void> {
    const isPiece = PIECES.has(request.operation.operation);
    const stopListening = signal && onAbort(signal, () => result.reject(filesAborted(signal)));
    await sent;
    while (this.#underWay.size >= (isPiece ? MOST_PIECES : 1)) {
      this.#answer = createDeferred();
      await this.#answer.promise;
    }
    stopListening?.();
    if (this.#end !== undefined) throw this.#end;
    if (signal?.aborted) throw filesAborted(signal);
    const over = this.#begin(request, result, signal);
    if (!isPiece) await over;
  }

  /** Sends a request. Settles when it is answered or given up. */
  async #begin<Result>(
    { operation, read }: FileRequest<Result>,
    result: Deferred<Result>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const id = `${this.#host}-${++this.#count}`;
    const over: Deferred<void> = createDeferred();
    const take = (message: FileAnswerMessage): void => {
      over.resolve();
      if (message.error === null) result.resolve(read(message));
      else result.reject(fileError(operation, message.error));
    };
    const giveUp = (): void => {
      result.reject(fileError(operation, TIMED_OUT));
      over.resolve();
      if (this.#underWay.has(id)) this.#giveUp(id);
    };
    let timer = setTimeout(giveUp, REQUEST_TIMEOUT_MS);
    const onCallerAbort = ({ reason }: AbortSignal): void => {
      result.reject(filesAborted({ reason }, isChange(operation)));
      clearTimeout(timer);
      timer = setTimeout(giveUp, ANSWER_GRACE_MS);
    };
    const end = (error: Error): void => {
      result.reject(error);
      over.resolve();
    };
    const stopListening = signal && onAbort(signal, () => onCallerAbort(signal));
    this.#underWay.set(id, { take, end });
    this.#transport.send({ kind: 'file-request', request_id: id, ...operation });
    await over.promise;
    this.#underWay.delete(id);
    this.#answer?.resolve();
    clearTimeout(timer);
    stopListening?.();
  }

  /**
   * An answer has arrived.
   * @returns whether this host has made the request.
   * @throws PtcError `PROTOCOL_VIOLATION` for an answer that does not fit its request.
   */
  answered(message: FileAnswerMessage): boolean {
    const { request_id: id } = message;
    if (this.#givenUp.delete(id)) return true;
    const waiting = this.#underWay.get(id);
    if (waiting === undefined) return false;
    waiting.take(message);
    this.#underWay.delete(id);
    return true;
  }

  #giveUp(id: string): void {
    this.#givenUp.add(id);
    this.#transport.send({ kind: 'file-cancel', request_id: id });
    if (this.#givenUp.size <= MOST_GIVEN_UP) return;
    const message = 'The sandbox broke the protocol: it does not answer requests about files.';
    this.#onFault(new PtcError('PROTOCOL_VIOLATION', message));
  }

  /** The runner has ended. All requests fail. */
  end(error: Error | undefined): void {
    if (this.#end !== undefined) return;
    this.#end =
      error ?? new PtcError('SANDBOX_LOST', 'The sandbox ended before the files were ready.');
    for (const waiting of this.#underWay.values()) waiting.end(this.#end);
    this.#ended.abort();
  }
}

/** The operations of which several can be under way. */
const PIECES: ReadonlySet<FileOperation['operation']> = new Set(['read', 'write']);

const TIMED_OUT = {
  errno: 'ETIMEDOUT',
  message: `the sandbox did not answer within ${REQUEST_TIMEOUT_MS} ms`,
};

/** Whether the operation changes something, which an answer that comes too late does not tell. */
function isChange(operation: FileOperation): boolean {
  return operation.operation === 'write' ? operation.is_last : CHANGES.has(operation.operation);
}

const CHANGES: ReadonlySet<FileOperation['operation']> = new Set(['append', 'edit', 'remove']);
