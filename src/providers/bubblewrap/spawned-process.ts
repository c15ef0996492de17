import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { createDeferred } from '../../shared/deferred.ts';

/** How a process ended: one of the two. */
export interface ProcessEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a process is connected to, by the number of its descriptor. */
export type Streams = ReadonlyMap<number, Socket>;

/** Opens the host's end of a pipe that another process of this user has open. */
export function openPipe(processId: number, descriptor: number, isForReading: boolean): Socket {
  const access = isForReading ? constants.O_RDONLY : constants.O_WRONLY;
  const path = `/proc/${processId}/fd/${descriptor}`;
  const fd = openSync(path, access | constants.O_NONBLOCK);
  try {
    const socket = new Socket({ fd, readable: isForReading, writable: !isForReading });
    // Its process may end before it read or wrote all; how that ended is told apart from this.
    socket.on('error', () => {});
    return socket.unref();
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** What a process asks of the spawner that started it. */
export interface SpawnerLink {
  /** Ends the process. */
  kill(): void;
  /** Whether the news of its end keeps this process from its own. */
  setReferenced(referenced: boolean): void;
}

/** A process that a spawner started. It and its streams do not keep this process from its end. */
export class SpawnedProcess {
  /** Its process id. */
  readonly id: number;
  /** Settles when it has ended. Never rejects. */
  readonly exited: Promise<ProcessEnd>;
  /** Settles when it has ended and all of its output was read. Never rejects. */
  readonly closed: Promise<ProcessEnd>;
  readonly #streams: Streams;
  readonly #inputs: readonly Socket[];
  readonly #link: SpawnerLink;
  readonly #exit = createDeferred<ProcessEnd>();
  #end: ProcessEnd | undefined;
  #isClosed = false;

  /** @param id - It is no other process's before `end` is called. */
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

  /** @throws Error if the descriptor is no pipe. */
  stream(descriptor: number): Socket {
    const stream = this.#streams.get(descriptor);
    if (stream === undefined) throw new Error(`The descriptor ${descriptor} is no pipe.`);
    return stream;
  }

  /** Ends it by `SIGKILL`, if it has not ended. */
  kill(): void {
    if (this.isAlive()) this.#link.kill();
  }

  /** Whether it and its streams keep this process from its end. */
  setReferenced(referenced: boolean): void {
    if (this.#isClosed) return;
    this.#link.setReferenced(referenced);
    for (const stream of this.#streams.values()) {
      if (referenced) stream.ref();
      else stream.unref();
    }
  }

  /** Called when it has ended. */
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
