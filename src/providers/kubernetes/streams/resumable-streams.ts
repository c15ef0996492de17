import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunnerStreams } from '../../../protocol/stream-transport.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { asError, messageOf, PtcError } from '../../../shared/errors.ts';
import { ChannelRefused, type OpenChannel } from './channel.ts';
import {
  confirmation,
  helloPacket,
  LONGEST_BODY_BYTES,
  numberIn,
  packet,
  type SidecarPacket,
  violation,
} from './packets.ts';
import { MemoryQuestion } from './memory-question.ts';
import { SidecarConnection } from './sidecar-connection.ts';
import { UnconfirmedInput } from './unconfirmed-input.ts';

/** The pauses between attempts to connect again: the first, and the longest. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
const GROWTH = 1.5;
/** How long an attempt may take at first. A server may keep a connection whose other end is gone. */
const ATTEMPT_MS = 10_000;

/** How the streams of a runner are reached. */
export interface ResumableStreamsOptions {
  readonly open: OpenChannel;
  /** Higher than that of each host that had the runner before. */
  readonly epoch: number;
  /** How long to try to connect again after a cut. */
  readonly patienceMs: number;
  /**
   * The streams have ended, and all their data was passed on. Called once, unless the host closes
   * them.
   * @param error - Undefined if the runner has ended them.
   */
  readonly onEnd: (error: PtcError | undefined) => void;
}

/**
 * The standard streams of a runner behind a sidecar. If a connection is cut, another one continues
 * at the byte at which it ended, so that nothing is lost or done twice.
 */
export class ResumableStreams implements RunnerStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #options: ResumableStreamsOptions;
  readonly #connected = createDeferred<void>();
  readonly #closing = new AbortController();
  #connection: SidecarConnection | undefined;
  readonly #input = new UnconfirmedInput();
  readonly #memory = new MemoryQuestion();
  /** Input that waits until the runner has taken more of what was sent before. */
  #waiting: { rest: Buffer; readonly done: () => void } | undefined;
  readonly #full = new Set<Readable>();
  #facts = '';
  #received = 0;
  #confirmed = 0;
  #isOver = false;

  private constructor(options: ResumableStreamsOptions) {
    this.#options = options;
    this.stdin = new Writable({
      write: (rest: Buffer, _encoding, done) => {
        this.#waiting = { rest, done };
        this.#sendInput();
      },
      destroy: (error, done) => {
        this.close();
        done(error);
      },
    });
    this.stdout = this.#output();
    this.stderr = this.#output();
  }

  /**
   * Connects to a sidecar.
   * @throws PtcError `SANDBOX_LOST` if it cannot be reached, or the signal's reason.
   */
  static async connect(
    options: ResumableStreamsOptions,
    signal?: AbortSignal,
  ): Promise<ResumableStreams> {
    const streams = new ResumableStreams(options);
    const onAbort = (): void => streams.#connected.reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    inBackground(streams.#stayConnected());
    try {
      await streams.#connected.promise;
    } catch (error) {
      streams.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    return streams;
  }

  /** What the sidecar says of its pod, as JSON. */
  get facts(): string {
    return this.#facts;
  }

  /** The memory that the runner and its programs use. Undefined if the sidecar does not say it soon. */
  async memoryBytes(): Promise<number | undefined> {
    return this.#memory.ask(() => this.#connection?.send(packet('M')));
  }

  /** Ends the connection. The sidecar keeps what it has for the next host. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#closing.abort();
    this.#connection?.close();
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy();
  }

  async #stayConnected(): Promise<void> {
    const { open, epoch, patienceMs } = this.#options;
    let giveUpAt = performance.now() + patienceMs;
    let pauseMs = FIRST_PAUSE_MS;
    let attemptMs = ATTEMPT_MS;
    while (!this.#isOver) {
      let why: Error | undefined;
      const late = AbortSignal.timeout(attemptMs);
      try {
        const hello = helloPacket(epoch, this.#received);
        const onPacket = this.#receive.bind(this);
        const about = { open, hello, late, onPacket };
        const connecting = SidecarConnection.open(about, this.#closing.signal);
        why = await (await connecting).cut;
        giveUpAt = performance.now() + patienceMs;
        pauseMs = FIRST_PAUSE_MS;
        attemptMs = ATTEMPT_MS;
      } catch (error) {
        why = asError(error);
        // A busy node needs longer to start a relay. If each attempt had the same time, none would succeed.
        const leftMs = Math.max(ATTEMPT_MS, Math.ceil(giveUpAt - performance.now()));
        if (late.aborted) attemptMs = Math.min(2 * attemptMs, leftMs);
      }
      this.#connection = undefined;
      if (this.#isOver) return;
      if (isFinal(why) || performance.now() >= giveUpAt) return this.#end(lostError(why));
      // Not at the same moment as all others whose connections were cut together.
      await delay(pauseMs * (0.5 + Math.random()), undefined, {
        signal: this.#closing.signal,
      }).catch(() => undefined);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH);
    }
  }
  #receive(received: SidecarPacket, connection: SidecarConnection): void {
    const { kind, body } = received;
    if (kind === 'O') this.#pass(this.stdout, body);
    else if (kind === 'E') this.#pass(this.stderr, body);
    else if (kind === 'F') this.#facts = body.toString();
    else if (kind === 'M') this.#memory.answer(body.length === 0 ? undefined : numberIn(received));
    else if (kind === 'W') {
      this.#connection = connection;
      this.#connected.resolve();
      this.#resume(numberIn(received));
    } else if (kind === 'X') {
      // The sidecar ends at this.
      connection.send(confirmation(this.#received));
      this.#end(undefined);
    } else if (kind === 'A') {
      if (!this.#input.confirm(numberIn(received))) throw violation('it took what was not sent');
      this.#sendInput();
    }
  }

  #pass(stream: Readable, body: Buffer): void {
    this.#received += body.length;
    if (!stream.push(body)) this.#full.add(stream);
    this.#confirm();
  }

  /** Lets the sidecar send more, unless nobody reads what it sent. */
  #confirm(): void {
    if (this.#full.size > 0 || this.#received - this.#confirmed < LONGEST_BODY_BYTES) return;
    this.#confirmed = this.#received;
    this.#connection?.send(confirmation(this.#received));
  }

  #output(): Readable {
    const stream: Readable = new Readable({
      read: () => {
        if (this.#full.delete(stream)) this.#confirm();
      },
    });
    return stream;
  }

  /**
   * Sends what the cut connection lost, and then what has come since.
   * @param arrived - How much input the sidecar has.
   */
  #resume(arrived: number): void {
    for (const bytes of this.#input.after(arrived)) this.#connection?.send(bytes);
    this.#sendInput();
  }

  #sendInput(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    while (waiting.rest.length > 0) {
      if (this.#input.isFull) return;
      const body = waiting.rest.subarray(0, LONGEST_BODY_BYTES);
      waiting.rest = waiting.rest.subarray(LONGEST_BODY_BYTES);
      const bytes = this.#input.add(body);
      this.#connection?.send(bytes);
    }
    this.#waiting = undefined;
    waiting.done();
  }

  #end(why: PtcError | undefined): void {
    this.#isOver = true;
    this.#closing.abort();
    this.#connection?.close();
    if (why !== undefined) this.#connected.reject(why);
    const ended = [this.stdout, this.stderr].map(async (stream) => {
      stream.push(null);
      await finished(stream);
    });
    // Only now, so that the error does not overtake what the runner said before.
    inBackground(
      Promise.all(ended).then(
        () => this.#options.onEnd(why),
        () => undefined,
      ),
    );
  }
}

function isFinal(error: Error | undefined): boolean {
  return error instanceof ChannelRefused || PtcError.isInstance(error);
}

function lostError(cause: Error | undefined): PtcError {
  if (PtcError.isInstance(cause)) return cause;
  const why = cause === undefined ? 'the connection was cut' : messageOf(cause);
  return new PtcError('SANDBOX_LOST', `The sandbox cannot be reached any more: ${why}.`, { cause });
}
