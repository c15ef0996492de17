import type { Readable, Writable } from 'node:stream';
import { inBackground } from '../shared/background.ts';
import { asError, PtcError } from '../shared/errors.ts';
import { LARGE_WORK, ownTurn } from '../shared/turn-work.ts';
import {
  type CallLimits,
  decodeLine,
  DEFAULT_CALL_LIMITS,
  encodeFrame,
  LineSplitter,
  MAX_REPORT_BYTES,
} from './frames.ts';
import type { HostMessage, OutputStream } from './messages.ts';
import type { Transport, TransportListener } from './transport.ts';

const MAX_DIAGNOSTICS_LENGTH = 4096;

/**
 * What is read in one turn of the event loop, since a runner may send thousands of lines at once: so many lines, each
 * kibibyte of them counting as one more. Most lines take some microseconds, a tool call up to a tenth of a millisecond.
 */
const LINES_OF_A_TURN = 250;
/** A turn also ends after a line at which it has taken so long: a small call may take 30 ms to check. */
const TURN_MS = 10;

export interface StreamTransportOptions {
  /** The runner's standard input. */
  readonly stdin: Writable;
  /** Cuts the connection; `end` may follow or not. */
  readonly destroy: () => void;
  /** What `receive` is fed from. They are paused for the turns in which there is enough to read. @default none */
  readonly sources?: readonly Readable[];
}

/**
 * Frames over a runner's standard streams. The provider pushes what the runner writes into
 * `receive` and calls `end` when both streams are over; a push costs no stream object between.
 */
export class StreamTransport implements Transport {
  readonly #stdin: Writable;
  readonly #destroyStreams: () => void;
  readonly #sources: readonly Readable[];
  readonly #splitters: Record<OutputStream, LineSplitter> = {
    stdout: new LineSplitter(MAX_REPORT_BYTES),
    stderr: new LineSplitter(MAX_REPORT_BYTES),
  };
  #calls: CallLimits = DEFAULT_CALL_LIMITS;
  #listener: TransportListener | undefined;
  #ready = false;
  /** Lines that have come, to be read in their order. */
  readonly #unread: { readonly stream: OutputStream; readonly lines: Iterator<Buffer> }[] = [];
  #isPaused = false;
  /** A large line waits for its turn. */
  #hasLargeLine = false;
  /** What has been read in this turn of the event loop, as `LINES_OF_A_TURN` counts it. */
  #readInTurn = 0;
  #turnEnds = false;
  #turnBeganAt = 0;
  /** The streams are over, and what they brought may not be read yet. */
  #sourceEnd: { readonly error: Error | undefined } | undefined;
  #end: { readonly error: Error | undefined } | undefined;
  #diagnostics = '';

  constructor(options: StreamTransportOptions) {
    this.#stdin = options.stdin;
    this.#destroyStreams = options.destroy;
    this.#sources = options.sources ?? [];
    this.#stdin.on('error', (cause: Error) => {
      this.end(new PtcError('SANDBOX_LOST', 'The sandbox no longer takes input.', { cause }));
    });
  }

  listen(listener: TransportListener, calls: CallLimits = DEFAULT_CALL_LIMITS): void {
    this.#listener = listener;
    this.#calls = calls;
    this.#splitters.stderr.maxLineBytes = calls.bytes;
    this.#splitters.stdout.maxLineBytes = Math.max(calls.bytes, MAX_REPORT_BYTES);
    if (this.#end) listener.closed(this.#end.error);
    else if (this.#isPaused) this.#read();
  }

  send(message: HostMessage): void {
    if (this.#end !== undefined || !this.#stdin.writable) return;
    // As bytes: a socket encodes the strings that wait for room all at once, which may be hundreds of megabytes.
    this.#stdin.write(Buffer.from(encodeFrame(message)));
  }

  diagnostics(): string {
    return this.#diagnostics.trim();
  }

  destroy(): void {
    this.#finish(undefined);
  }

  /** Takes bytes that the runner wrote. */
  receive(stream: OutputStream, chunk: Buffer): void {
    if (this.#end) return;
    this.#unread.push({ stream, lines: this.#splitters[stream].push(chunk) });
    // Until somebody listens, the sources wait: what a runner writes meanwhile stays in its own pipes.
    if (!this.#listener) this.#pause();
    else if (!this.#isPaused) this.#read();
  }

  /** The runner's streams are over: the end, once everything they brought has been read. */
  end(error: Error | undefined): void {
    this.#sourceEnd ??= { error };
    if (this.#unread.length === 0) this.#finish(this.#sourceEnd.error);
  }

  /** Reads as many lines as a turn may take, and goes on in the next one. */
  #read(): void {
    if (this.#hasLargeLine) return;
    if (!this.#turnEnds) this.#endTurnLater();
    try {
      for (let next = this.#unread[0]; next !== undefined; next = this.#unread[0]) {
        const { done, value } = next.lines.next();
        if (done === true) this.#unread.shift();
        else if (value.length > LARGE_WORK) return this.#readLarge(value, next.stream);
        else this.#receiveLine(value, next.stream);
        if (this.#end) return;
        if (this.#isTurnOver() && this.#unread.length > 0) return this.#pause();
      }
    } catch (error) {
      return this.#finish(asError(error));
    }
    this.#resume();
    if (this.#sourceEnd) this.#finish(this.#sourceEnd.error);
  }

  /** Reads a line that takes long in a turn in which nothing else does, and what follows it afterwards. */
  #readLarge(line: Buffer, stream: OutputStream): void {
    this.#hasLargeLine = true;
    this.#pause();
    const read = (): void => {
      this.#hasLargeLine = false;
      if (this.#end) return;
      try {
        this.#receiveLine(line, stream);
      } catch (error) {
        return this.#finish(asError(error));
      }
      if (!this.#end && !this.#turnEnds) this.#endTurnLater();
    };
    inBackground(ownTurn().then(read));
  }

  #isTurnOver(): boolean {
    return this.#readInTurn > LINES_OF_A_TURN || performance.now() - this.#turnBeganAt > TURN_MS;
  }

  #pause(): void {
    if (!this.#isPaused) for (const source of this.#sources) source.pause();
    this.#isPaused = true;
  }

  #endTurnLater(): void {
    this.#turnEnds = true;
    this.#turnBeganAt = performance.now();
    setImmediate(() => {
      this.#turnEnds = false;
      this.#readInTurn = 0;
      if (this.#isPaused && !this.#end) this.#read();
    });
  }

  #resume(): void {
    if (this.#isPaused) for (const source of this.#sources) source.resume();
    this.#isPaused = false;
  }

  /** What is left of a line is kept for `diagnostics`. */
  #finish(error: Error | undefined): void {
    if (this.#end) return;
    this.#unread.length = 0;
    // What still comes is dropped: a stream that nobody reads would keep its process from being seen to end.
    this.#resume();
    this.#end = { error };
    for (const splitter of Object.values(this.#splitters)) {
      this.#addDiagnostics(splitter.takeRest().toString('utf8'));
    }
    this.#destroyStreams();
    this.#listener?.closed(error);
  }

  #receiveLine(line: Buffer, stream: OutputStream): void {
    this.#readInTurn += 1 + line.length / 1024;
    const decoded = decodeLine(line, stream, this.#calls);
    if (decoded.kind === 'noise') return this.#receiveNoise(decoded.text);
    if (decoded.kind === 'ready' || decoded.kind === 'attached') this.#ready = true;
    this.#listener?.message(decoded, line);
  }

  /**
   * Before it is ready, an image may print what it likes, and a stream that was attached late begins
   * within a line; afterwards a runner writes frames only.
   */
  #receiveNoise(text: string): void {
    if (this.#ready) {
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        'The sandbox broke the protocol: a line is not a frame.',
        { details: { line: text.slice(0, MAX_DIAGNOSTICS_LENGTH) } },
      );
    }
    this.#addDiagnostics(`${text}\n`);
  }

  #addDiagnostics(text: string): void {
    const room = MAX_DIAGNOSTICS_LENGTH - this.#diagnostics.length;
    // By way of bytes: a mere slice would hold on to the whole of a text of any length.
    this.#diagnostics += Buffer.from(text.slice(0, room)).toString('utf8');
  }
}
