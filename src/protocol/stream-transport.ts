import type { Readable, Writable } from 'node:stream';
import { inBackground } from '../shared/async/background.ts';
import { createDeferred, type Deferred } from '../shared/async/deferred.ts';
import { asError, PtcError } from '../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { LARGE_WORK, ownLoopTurn } from '../shared/async/event-loop-work.ts';
import {
  type CallLimits,
  decodeLine,
  DEFAULT_CALL_LIMITS,
  encodeFrame,
  MAX_REPORT_BYTES,
} from './frames.ts';
import { FrameWriter } from './frame-writer.ts';
import { LineSplitter } from './line-splitter.ts';
import type { HostMessage, OutputStream } from './messages.ts';
import type { Transport, TransportListener } from './transport.ts';

const MAX_DIAGNOSTICS_LENGTH = 4096;

/**
 * How many lines are read in one turn of the event loop, because a runner may send thousands at
 * once. Each KiB of a line counts as one more line. Most lines take some microseconds, and a tool
 * call up to a tenth of a millisecond.
 */
const LINES_PER_TURN = 250;
/** A turn also ends after this time: a small call may take 30 ms to check. */
const TURN_MS = 10;

/** Options of a `StreamTransport`. */
export interface StreamTransportOptions {
  /** The runner's standard input. If it breaks, the transport ends with `SANDBOX_LOST`. */
  readonly stdin: Writable;
  /** Closes the connection. `end` may be called afterwards or not. */
  readonly destroy: () => void;
  /**
   * The streams whose data is passed to `receive`. They are paused while there is enough to read.
   * @default none
   */
  readonly sources?: readonly Readable[];
}

export const TRANSPORT_OPTIONS: OptionsObject<StreamTransportOptions> = {
  of: 'StreamTransport',
  names: { stdin: 'object', destroy: 'function', sources: 'array' },
  page: 'docs/writing-a-provider.md',
};

/** The standard streams of a runner. */
export interface RunnerStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Makes a transport of the standard streams of a runner, and reads them. If a stream breaks, the
 * transport ends with `SANDBOX_LOST`. If the runner ends, the caller has to call `end` of the
 * transport. `destroy` of the transport closes `stdin`, at which a runner ends.
 */
export function connectStreams({ stdin, stdout, stderr }: RunnerStreams): StreamTransport {
  const transport = new StreamTransport({
    stdin,
    sources: [stdout, stderr],
    destroy: () => void stdin.destroy(),
  });
  const read = (stream: OutputStream, source: Readable): void => {
    source.on('data', (chunk: Buffer) => transport.receive(stream, chunk));
    source.on('error', (cause: Error) => {
      const message = `The output of the sandbox cannot be read: ${cause.message}`;
      transport.end(new PtcError('SANDBOX_LOST', message, { cause }));
    });
  };
  read('stdout', stdout);
  read('stderr', stderr);
  return transport;
}

/**
 * A runner that has ended accepts no input, but what it wrote before, such as how its program ended, may
 * still be in its pipes. They end within this time, unless it only closed its input.
 */
const OUTPUT_LIMIT_MS = 1000;

/**
 * Sends and receives frames over a runner's standard streams. The provider passes the runner's
 * output to `receive` and calls `end` when both streams have ended. This avoids the cost of a
 * stream object in between. If the three streams are separate, `connectStreams` does this.
 */
export class StreamTransport implements Transport {
  readonly #stdin: Writable;
  readonly #writer: FrameWriter;
  readonly #destroyStreams: () => void;
  readonly #sources: readonly Readable[];
  readonly #splitters: Record<OutputStream, LineSplitter> = {
    stdout: new LineSplitter(MAX_REPORT_BYTES),
    stderr: new LineSplitter(MAX_REPORT_BYTES),
  };
  #calls: CallLimits = DEFAULT_CALL_LIMITS;
  #listener: TransportListener | undefined;
  #ready = false;
  /** Lines that have arrived and are not read yet, in their order. */
  readonly #unread: { readonly stream: OutputStream; readonly lines: Iterator<Buffer> }[] = [];
  #isPaused = false;
  /** Whether a large line waits for a turn of its own. */
  #hasLargeLine = false;
  /** How much has been read in this turn of the event loop, in the unit of `LINES_PER_TURN`. */
  #readInTurn = 0;
  #turnEnds = false;
  #turnBeganAt = 0;
  /** Set when the streams have ended, although some of their data may not be read yet. */
  #sourceEnd: { readonly error: Error | undefined } | undefined;
  #end: { readonly error: Error | undefined } | undefined;
  /** Runs when the sandbox no longer accepts input. */
  #outputLimit: NodeJS.Timeout | undefined;
  #diagnostics = '';
  #taken: Deferred<void> | undefined;
  readonly #settleTaken = (): void => {
    this.#taken?.resolve();
    this.#taken = undefined;
  };

  /** @throws PtcError `OPTION_INVALID` */
  constructor(options: StreamTransportOptions) {
    checkOptionNames(options, TRANSPORT_OPTIONS);
    this.#stdin = options.stdin;
    this.#writer = new FrameWriter(options.stdin);
    this.#destroyStreams = options.destroy;
    this.#sources = options.sources ?? [];
    this.#stdin.on('drain', this.#settleTaken).on('close', this.#settleTaken);
    this.#stdin.on('error', (cause: Error) => {
      if (this.#end) return;
      const message = 'The sandbox no longer accepts input.';
      const error = new PtcError('SANDBOX_LOST', message, { cause });
      this.#outputLimit ??= setTimeout(() => this.end(error), OUTPUT_LIMIT_MS);
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
    // As bytes: a socket encodes all waiting strings at once, which could be hundreds of megabytes.
    this.#writer.write(encodeFrame(message));
    if (!this.#turnEnds) this.#endTurnLater();
  }

  get taken(): Promise<void> | undefined {
    if (this.#end !== undefined || !this.#stdin.writableNeedDrain) return undefined;
    this.#taken ??= createDeferred();
    return this.#taken.promise;
  }

  diagnostics(): string {
    return this.#diagnostics.trim();
  }

  destroy(): void {
    this.#finish(undefined);
  }

  /**
   * Accepts bytes that the runner wrote.
   * @param chunk - Any part of the stream. It is kept, so the caller must not change it.
   */
  receive(stream: OutputStream, chunk: Buffer): void {
    if (this.#end) return;
    this.#unread.push({ stream, lines: this.#splitters[stream].push(chunk) });
    // Until there is a listener, the sources are paused, so that the runner's data stays in its
    // pipes.
    if (!this.#listener) this.#pause();
    else if (!this.#isPaused) this.#read();
  }

  /**
   * The runner's streams have ended. The transport ends when all their data has been read. Further
   * calls have no effect.
   * @param error - Why the runner ended, which `closed` of the listener gets. Undefined if nothing
   * more is known.
   */
  end(error: Error | undefined): void {
    this.#sourceEnd ??= { error };
    if (this.#unread.length === 0) this.#finish(this.#sourceEnd.error);
  }

  /** Reads as many lines as fit into a turn, and continues in the next one. */
  #read(): void {
    if (this.#hasLargeLine) return;
    if (this.#readInTurn === 0) this.#turnBeganAt = performance.now();
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

  /** Reads a large line in a turn of its own, and then the lines after it. */
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
    inBackground(ownLoopTurn(this.#listener?.tenant?.()).then(read));
  }

  #isTurnOver(): boolean {
    return this.#readInTurn > LINES_PER_TURN || performance.now() - this.#turnBeganAt > TURN_MS;
  }

  #pause(): void {
    if (!this.#isPaused) for (const source of this.#sources) source.pause();
    this.#isPaused = true;
  }

  #endTurnLater(): void {
    this.#turnEnds = true;
    setImmediate(() => {
      this.#turnEnds = false;
      this.#readInTurn = 0;
      this.#writer.endTurn();
      if (this.#isPaused && !this.#end) this.#read();
    });
  }

  #resume(): void {
    if (this.#isPaused) for (const source of this.#sources) source.resume();
    this.#isPaused = false;
  }

  /** Keeps the rest of a line for `diagnostics`. */
  #finish(error: Error | undefined): void {
    if (this.#end) return;
    clearTimeout(this.#outputLimit);
    this.#unread.length = 0;
    // Later data is dropped: a stream that is not read would hide the end of its process.
    this.#resume();
    this.#end = { error };
    this.#settleTaken();
    this.#writer.flush();
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
   * Before a runner is ready, an image may print anything, and a stream that was attached late
   * begins in the middle of a line. After that, a runner writes only frames.
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
    // Converted to bytes and back, because a slice would keep the whole text in memory.
    this.#diagnostics += Buffer.from(text.slice(0, room)).toString('utf8');
  }
}
