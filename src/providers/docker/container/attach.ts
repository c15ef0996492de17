import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { OutputStream } from '../../../protocol/messages.ts';
import { StreamTransport } from '../../../protocol/stream-transport.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { asError, PtcError } from '../../../shared/errors.ts';

const HEADER_BYTES = 8;
const STREAM_OF_TYPE: Readonly<Record<number, OutputStream>> = { 1: 'stdout', 2: 'stderr' };

/**
 * Separates an engine's attach stream into the two outputs of the container. Each part begins with
 * a header of eight bytes: its stream, three zeros, and the length of its payload (see the Engine
 * API, `ContainerAttach`). Chunks can be split anywhere. Payloads are passed on as views, without
 * copies.
 */
export class StreamDemultiplexer {
  readonly #receive: (stream: OutputStream, chunk: Buffer) => void;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #stream: OutputStream = 'stdout';
  #bytesLeft = 0;

  constructor(receive: (stream: OutputStream, chunk: Buffer) => void) {
    this.#receive = receive;
  }

  /** @throws PtcError `SANDBOX_LOST` if the bytes are not an attach stream. */
  push(chunk: Buffer): void {
    let position = 0;
    while (position < chunk.length) {
      position += this.#bytesLeft > 0 ? this.#pass(chunk, position) : this.#take(chunk, position);
    }
  }

  #pass(chunk: Buffer, position: number): number {
    const part = chunk.subarray(position, position + this.#bytesLeft);
    this.#bytesLeft -= part.length;
    this.#receive(this.#stream, part);
    return part.length;
  }

  #take(chunk: Buffer, position: number): number {
    const taken = chunk.copy(
      this.#header,
      this.#headerBytes,
      position,
      position + HEADER_BYTES - this.#headerBytes,
    );
    this.#headerBytes += taken;
    if (this.#headerBytes === HEADER_BYTES) {
      this.#headerBytes = 0;
      const type = this.#header.readUInt8(0);
      const stream = STREAM_OF_TYPE[type];
      if (stream === undefined) {
        throw new PtcError(
          'SANDBOX_LOST',
          `The engine sent output of the unknown type ${type}. A proxy before the engine may have changed it.`,
        );
      }
      this.#stream = stream;
      this.#bytesLeft = this.#header.readUInt32BE(4);
    }
    return taken;
  }
}

/** Tells why a container ended. */
export interface ExitReason {
  readonly reason: () => Promise<Error | undefined>;
  readonly stop: () => void;
}

/**
 * Makes a transport of an engine's attach stream, and reads the stream to its end.
 * @param exit - Asked for the reason if the stream ends although the host did not close it.
 */
export function attachTransport(connection: Duplex, exit: ExitReason): StreamTransport {
  const transport = new StreamTransport({
    stdin: connection,
    sources: [connection],
    destroy: () => {
      connection.destroy();
      exit.stop();
    },
  });
  const demultiplexer = new StreamDemultiplexer((stream, chunk) => {
    transport.receive(stream, chunk);
  });
  // Frames are small, and the sender of each waits for an answer.
  if (connection instanceof Socket) connection.setNoDelay(true);
  connection.on('data', (chunk: Buffer) => {
    try {
      demultiplexer.push(chunk);
    } catch (error) {
      transport.end(asError(error));
    }
  });
  connection.on('error', (cause: Error) => {
    const message = `The connection to the sandbox failed: ${cause.message}`;
    transport.end(new PtcError('SANDBOX_LOST', message, { cause }));
  });
  connection.once('end', () => {
    inBackground(exit.reason().then((reason) => transport.end(reason)));
  });
  return transport;
}
