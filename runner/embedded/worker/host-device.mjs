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

  /** @param link - A `SupervisorLink`. */
  constructor(pyodide, link) {
    this.#fs = pyodide.FS;
    this.#link = link;
    pyodide.setInterruptBuffer(interruptBuffer(link));
    pyodide.setStdin({ stdin: () => null });
    pyodide.setStdout({ write: outputWriter((bytes) => link.print(bytes)) });
    pyodide.setStderr({ write: outputWriter((bytes) => link.printError(bytes)) });
    this.hostFd = this.#addDevice('host', {
      read: (_stream, buffer, offset, length) =>
        this.#read(buffer.subarray(offset, offset + length)),
      write: (_stream, buffer, offset, length) => {
        link.send(buffer.subarray(offset, offset + length));
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
    if (!this.#link.canReceive) throw new this.#fs.ErrnoError(EAGAIN);
    // An interrupt comes before the message that follows it.
    this.#throwIfInterrupted();
    const bytes = this.#link.receive(target.length);
    target.set(bytes);
    return bytes.length;
  }

  /** As a signal does: Python then runs its handler, and calls again if that raises nothing. */
  #throwIfInterrupted() {
    if (this.#link.interrupt !== 0) throw new this.#fs.ErrnoError(EINTR);
  }

  #wait(milliseconds, endsWhenReadable) {
    const end = performance.now() + milliseconds;
    for (;;) {
      // What comes after this line is read changes the count, and the wait below does not begin.
      const { wakes } = this.#link;
      this.#throwIfInterrupted();
      if (endsWhenReadable && this.#link.canReceive) return;
      const left = end - performance.now();
      if (left <= 0) return;
      if (endsWhenReadable && left === Infinity) this.#link.blockForMessage(wakes);
      else this.#link.block(wakes, left);
    }
  }
}

function outputWriter(write) {
  return (buffer) => {
    write(buffer);
    return buffer.length;
  };
}

/**
 * What the interpreter looks at now and then: it reads, and then writes 0, whatever it read. An interrupt
 * that came between the two would be lost; here only the one that was read is taken away.
 */
function interruptBuffer(link) {
  let seen = 0;
  return Object.defineProperty({}, 0, {
    get() {
      seen = link.interrupt;
      return seen;
    },
    set() {
      link.takeInterrupt(seen);
    },
  });
}
