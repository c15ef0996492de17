import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { createDeferred } from '../../../shared/async/deferred.ts';

/** How a process ended. One of the two is null. */
export interface ProcessEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The host's ends of a process's pipes, by the number of the file descriptor in the process. */
export type Streams = ReadonlyMap<number, Socket>;

/** Opens the host's end of a pipe that another process of this user has open. */
export function openPipe(processId: number, descriptor: number, isForReading: boolean): Socket {
  const access = isForReading ? constants.O_RDONLY : constants.O_WRONLY;
  const path = `/proc/${processId}/fd/${descriptor}`;
  const fd = openSync(path, access | constants.O_NONBLOCK);
  try {
    const socket = new Socket({ fd, readable: isForReading, writable: !isForReading });
    // The process may end before it has read or written everything. Its end is reported separately.
    socket.on('error', () => {});
    return socket.unref();
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The requests of a process to the spawner that started it. */
export interface SpawnerLink {
  /** Ends the process. */
  kill(): void;
  /** Sets whether waiting for the end of the process keeps this process alive. */
  setReferenced(referenced: boolean): void;
}

/** A process that the spawner started. It and its streams do not keep this process alive. */
export class SpawnedProcess {
  /** Its process id. */
  readonly id: number;
  /** Settles when the process has ended. Never rejects. */
  readonly exited: Promise<ProcessEnd>;
  /** Settles when the process has ended and all of its output was read. Never rejects. */
  readonly closed: Promise<ProcessEnd>;
  readonly #streams: Streams;
  readonly #inputs: readonly Socket[];
  readonly #link: SpawnerLink;
  readonly #exit = createDeferred<ProcessEnd>();
  #end: ProcessEnd | undefined;
  #isClosed = false;

  /** @param id - Belongs to this process until `end` is called. */
  constructor(id: number, streams: Streams, link: SpawnerLink) {
    this.id = id;
    this.#streams = streams;
    this.#link = link;
    this.exited = this.#exit.promise;
    const all = [...streams.values()];
    this.#inputs = all.filter((stream) => stream.writable);
    this.closed = this.#untilClosed(all.filter((stream) => stream.readable));
  }

  isAlive(): boolean {
    return this.#end === undefined;
  }

  /** @throws Error if the file descriptor is not a pipe. */
  stream(descriptor: number): Socket {
    const stream = this.#streams.get(descriptor);
    if (stream === undefined) throw new Error(`The file descriptor ${descriptor} is not a pipe.`);
    return stream;
  }

  /** Kills the process by `SIGKILL` if it has not ended. */
  kill(): void {
    if (this.isAlive()) this.#link.kill();
  }

  /** Sets whether the process and its streams keep this process alive. */
  setReferenced(referenced: boolean): void {
    if (this.#isClosed) return;
    this.#link.setReferenced(referenced);
    for (const stream of this.#streams.values()) {
      if (referenced) stream.ref();
      else stream.unref();
    }
  }

  /** Must be called when the process has ended. */
  end(end: ProcessEnd): void {
    this.#end = end;
    for (const input of this.#inputs) input.destroy();
    this.#exit.resolve(end);
  }

  async #untilClosed(outputs: readonly Socket[]): Promise<ProcessEnd> {
    const closings = outputs.map(
      async (output) => new Promise<void>((resolve) => output.once('close', () => resolve())),
    );
    const [end] = await Promise.all([this.exited, ...closings]);
    this.#isClosed = true;
    this.#link.setReferenced(false);
    return end;
  }
}
