import { ByteRing } from '../byte-ring.mjs';

/**
 * The guest's roads to its supervisor, as files: Python needs no JavaScript to use them, and they
 * wait as system calls do, so plain asyncio and plain blocking code work.
 *
 *   /dev/host   Reading gives what the supervisor sent, EAGAIN where there is nothing. Writing sends a line.
 *   /dev/wait   Writing a double waits so many seconds; a byte after it, not 0, ends the wait when something can be read.
 */

const EAGAIN = 6;
const EINTR = 27;
const O_RDWR = 2;

export class HostDevice {
  #fs;
  #link;
  #receive;
  #interrupt;
  #wakeCount;
  #unread = new Uint8Array(0);

  /**
   * @param link - The port, the shared memory and the output rings that the supervisor made.
   * @param receive - `receiveMessageOnPort`.
   */
  constructor(pyodide, link, receive) {
    this.#fs = pyodide.FS;
    this.#link = link;
    this.#receive = receive;
    this.#interrupt = new Uint8Array(link.interrupt);
    this.#wakeCount = new Int32Array(link.wakeCount);
    pyodide.setInterruptBuffer(interruptBuffer(this.#interrupt));
    pyodide.setStdin({ stdin: () => null });
    pyodide.setStdout({ write: this.#outputWriter(link.stdout) });
    pyodide.setStderr({ write: this.#outputWriter(link.stderr) });
    this.hostFd = this.#addDevice('host', {
      read: (_stream, buffer, offset, length) =>
        this.#read(buffer.subarray(offset, offset + length)),
      write: (_stream, buffer, offset, length) => {
        const line = new Uint8Array(buffer.subarray(offset, offset + length));
        link.port.postMessage(['line', line], [line.buffer]);
        return length;
      },
    });
    this.waitFd = this.#addDevice('wait', {
      write: (_stream, buffer, offset, length) => {
        const view = new DataView(buffer.buffer, buffer.byteOffset + offset, length);
        this.#wait(view.getFloat64(0, true) * 1000, view.getUint8(8) !== 0);
        return length;
      },
    });
  }

  #addDevice(name, operations) {
    const number = this.#fs.makedev(this.#fs.createDevice.major++, 0);
    this.#fs.registerDevice(number, { open() {}, close() {}, llseek: () => 0, ...operations });
    this.#fs.mkdev(`/dev/${name}`, 0o666, number);
    return this.#fs.open(`/dev/${name}`, O_RDWR).fd;
  }

  #read(target) {
    if (!this.#canRead()) throw new this.#fs.ErrnoError(EAGAIN);
    // An interrupt comes before the message that follows it.
    this.#throwIfInterrupted();
    const bytes = this.#unread.subarray(0, target.length);
    target.set(bytes);
    this.#unread = this.#unread.subarray(bytes.length);
    return bytes.length;
  }

  #canRead() {
    if (this.#unread.length === 0) {
      const received = this.#receive(this.#link.port);
      if (received !== undefined) this.#unread = new Uint8Array(received.message);
    }
    return this.#unread.length > 0;
  }

  /** As a signal does: Python then runs its handler, and calls again if that raises nothing. */
  #throwIfInterrupted() {
    if (Atomics.load(this.#interrupt, 0) !== 0) throw new this.#fs.ErrnoError(EINTR);
  }

  #wait(milliseconds, endsWhenReadable) {
    const end = performance.now() + milliseconds;
    for (;;) {
      // What comes after this line is read changes the count, and the wait below does not begin.
      const wakes = Atomics.load(this.#wakeCount, 0);
      this.#throwIfInterrupted();
      if (endsWhenReadable && this.#canRead()) return;
      const left = end - performance.now();
      if (left <= 0) return;
      Atomics.wait(this.#wakeCount, 0, wakes, left);
    }
  }

  #outputWriter(memory) {
    const ring = new ByteRing(memory, () => this.#link.port.postMessage(['output']));
    return (buffer) => {
      for (let start = 0; start < buffer.length;) {
        start += ring.write(buffer.subarray(start));
        ring.waitForRoom();
      }
      return buffer.length;
    };
  }
}

/**
 * What the interpreter looks at now and then: it reads, and then writes 0, whatever it read. An interrupt
 * that came between the two would be lost; here only the one that was read is taken away.
 */
function interruptBuffer(interrupt) {
  let seen = 0;
  return Object.defineProperty({}, 0, {
    get() {
      seen = Atomics.load(interrupt, 0);
      return seen;
    },
    set() {
      Atomics.compareExchange(interrupt, 0, seen, 0);
    },
  });
}
