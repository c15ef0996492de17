import type { Writable } from 'node:stream';
import { PtcError } from '../shared/errors.ts';
import { decodeLine, DEFAULT_MAX_FRAME_BYTES, encodeFrame, LineSplitter } from './frames.ts';
import type { HostMessage, OutputStream, RunnerMessage } from './messages.ts';
import type { Transport, TransportListener } from './transport.ts';

const MAX_DIAGNOSTICS_LENGTH = 4096;

export interface StreamTransportOptions {
  /** The runner's standard input. */
  readonly stdin: Writable;
  /** Cuts the connection; `end` may follow or not. */
  readonly destroy: () => void;
  /** Largest frame that is read. @default 64000000 (64 MB) */
  readonly maxFrameBytes?: number;
}

/**
 * Frames over a runner's standard streams. The provider pushes what the runner writes into
 * `receive` and calls `end` when both streams are over; a push costs no stream object between.
 */
export class StreamTransport implements Transport {
  readonly #stdin: Writable;
  readonly #destroyStreams: () => void;
  readonly #splitters: Record<OutputStream, LineSplitter>;
  /** What came before anyone listened. */
  #backlog: { readonly message: RunnerMessage; readonly bytes: number }[] = [];
  #listener: TransportListener | undefined;
  #ready = false;
  #end: { readonly error: Error | undefined } | undefined;
  #diagnostics = '';

  constructor(options: StreamTransportOptions) {
    const maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
    this.#stdin = options.stdin;
    this.#destroyStreams = options.destroy;
    this.#splitters = {
      stdout: new LineSplitter(maxFrameBytes),
      stderr: new LineSplitter(maxFrameBytes),
    };
    this.#stdin.on('error', (cause: Error) => {
      this.end(new PtcError('SANDBOX_LOST', 'The sandbox no longer takes input.', { cause }));
    });
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    for (const { message, bytes } of this.#backlog.splice(0)) listener.message(message, bytes);
    if (this.#end) listener.closed(this.#end.error);
  }

  send(message: HostMessage): void {
    if (this.#end === undefined && this.#stdin.writable) this.#stdin.write(encodeFrame(message));
  }

  diagnostics(): string {
    return this.#diagnostics.trim();
  }

  destroy(): void {
    this.end(undefined);
  }

  /** Takes bytes that the runner wrote. */
  receive(stream: OutputStream, chunk: Buffer): void {
    if (this.#end) return;
    try {
      for (const line of this.#splitters[stream].push(chunk)) this.#receiveLine(line, stream);
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** The runner's streams are over. What is left of a line is kept for `diagnostics`. */
  end(error: Error | undefined): void {
    if (this.#end) return;
    this.#end = { error };
    for (const splitter of Object.values(this.#splitters)) {
      this.#addDiagnostics(splitter.takeRest().toString('utf8'));
    }
    this.#destroyStreams();
    this.#listener?.closed(error);
  }

  #receiveLine(line: Buffer, stream: OutputStream): void {
    const decoded = decodeLine(line, stream);
    if (decoded.kind === 'noise') return this.#receiveNoise(decoded.text);
    if (decoded.kind === 'ready' || decoded.kind === 'attached') this.#ready = true;
    if (this.#listener) this.#listener.message(decoded, line.length);
    else this.#backlog.push({ message: decoded, bytes: line.length });
  }

  /**
   * Before it is ready, an image may print what it likes, and a stream that was attached late begins
   * within a line; afterwards a runner writes frames only.
   */
  #receiveNoise(text: string): void {
    if (this.#ready) {
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        'The sandbox broke the protocol: a line is no frame.',
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
