/**
 * The guest's connection to its supervisor, as device files. Python uses them without JavaScript,
 * and they block as system calls do, so ordinary asyncio and ordinary blocking code work.
 *
 *   /dev/host   Reading returns what the supervisor sent, or fails with EAGAIN. Writing sends a
 *               line.
 *   /dev/wait   Writing a double waits for so many seconds. If the next byte is not 0, the wait
 *               also ends when something can be read.
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
    // An interrupt is handled before the message that follows it.
    this.#throwIfInterrupted();
    return this.#link.receiveInto(target);
  }

  /**
   * Behaves like a signal: Python runs its handler, and repeats the call if the handler raises
   * nothing.
   */
  #throwIfInterrupted() {
    if (this.#link.interrupt !== 0) throw new this.#fs.ErrnoError(EINTR);
  }

  #wait(milliseconds, endsWhenReadable) {
    const end = performance.now() + milliseconds;
    for (;;) {
      // Events after this line change the count, so the wait below then returns at once.
      const { wakes } = this.#link;
      this.#throwIfInterrupted();
      if (endsWhenReadable && this.#link.canReceive) return;
      const left = end - performance.now();
      const isHeld = endsWhenReadable && this.#link.holdsMessages;
      if (left <= 0 && !isHeld) return;
      if (isHeld || (endsWhenReadable && left === Infinity)) this.#link.blockForMessage(wakes);
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
 * The interrupt buffer that the interpreter polls. It reads the value and then writes 0, whatever
 * it read. An interrupt between the two would be lost, so only the interrupt that was read is
 * removed.
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
