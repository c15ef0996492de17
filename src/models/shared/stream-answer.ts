import { unlessAborted } from '../../shared/async/abort.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import type { PtcError } from '../../shared/errors.ts';
import type { ModelStreamEnd, ModelStreamPart } from '../language-model.ts';
import { abortedError, streamCutError } from '../model-errors.ts';

/** Assembles what a service sends into one answer. */
export interface AnswerBuilder<Event> {
  /** Whether all of its content has arrived. Until then, no part of it may be used. */
  readonly complete: boolean;
  /** Whether the service has nothing more to send. @default not known before the stream ends */
  readonly ended?: boolean;
  /** Handles the next event. Yields the parts of the stream that it leads to. */
  take(event: Event): Iterable<ModelStreamPart>;
  /** @throws PtcError if the answer cannot be used. */
  end(): ModelStreamEnd;
}

/**
 * How long a service may keep its connection open after its last event. Most close it at once, and
 * then the client can use it for the next request.
 */
const END_MS = 250;
/** How long a service may take for what follows the content of its answer, such as the token counts. */
const COUNTS_MS = 5000;

export interface AnswerSource<Event> {
  /** The model's id. */
  readonly model: string;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  readonly answer: AnswerBuilder<Event>;
  /** Sends the request. The signal closes the connection. */
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Event> | Iterable<Event>>;
  /** Translates an error, from before the first event of the answer or (`streaming`) after it. */
  readonly toError: (thrown: unknown, streaming: boolean) => PtcError;
}

/** Ends with an error at once if the signal fires: a stream may ignore it. */
async function* untilAborted<Event>(
  events: AsyncIterable<Event> | Iterable<Event>,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const iterator =
    Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]();
  let isOpen = true;
  try {
    for (;;) {
      const next = await unlessAborted(Promise.resolve(iterator.next()), signal);
      isOpen = next.done !== true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    const close = async (): Promise<unknown> => iterator.return?.();
    // Not awaited, because a stream that ignores the signal may never end.
    if (isOpen) close().catch(() => {});
  }
}

/** Requests one answer and streams its parts, as `LanguageModel.stream` promises. */
export async function* streamAnswer<Event>(
  source: AnswerSource<Event>,
): AsyncGenerator<ModelStreamPart> {
  const { model, signal, answer, open, toError } = source;
  if (signal?.aborted) throw abortedError(signal);
  // Also aborted if the reader stops: the AWS client itself would keep the connection open.
  const connection = new AbortController();
  using either = new AnySignal(connection.signal, signal);
  let streaming = false;
  const close = (): void => connection.abort();
  let countsTimer: NodeJS.Timeout | undefined;
  let endTimer: NodeJS.Timeout | undefined;
  try {
    // Some clients ignore the signal while they wait before a retry.
    const events = await unlessAborted(open(either.signal), signal);
    streaming = true;
    for await (const event of untilAborted(events, either.signal)) {
      yield* answer.take(event);
      if (answer.complete) countsTimer ??= setTimeout(close, COUNTS_MS);
      if (answer.ended) endTimer ??= setTimeout(close, END_MS);
    }
  } catch (error) {
    if (signal?.aborted) throw abortedError(signal);
    // An error after the complete answer is ignored.
    if (!answer.complete) throw toError(error, streaming);
  } finally {
    clearTimeout(countsTimer);
    clearTimeout(endTimer);
    close();
  }
  // Some clients end an aborted stream, and one whose connection closed, without an error.
  if (!answer.complete) throw signal?.aborted ? abortedError(signal) : streamCutError(model);
  yield answer.end();
}
