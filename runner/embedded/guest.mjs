import { ByteRing } from './byte-ring.mjs';

/** Bytes of output of one stream that may be on their way before the program waits. */
const OUTPUT_RING_BYTES = 1 << 18;
const KEYBOARD_INTERRUPT = 2;
const SIGABRT = 6;
const SIGKILL = 9;
const SIGSEGV = 11;

/** The end of a guest that used up its memory. */
export const MEMORY_END = {
  reason: 'memory',
  status: SIGKILL,
  message: "the program needed more memory than the sandbox has; the session's state is lost",
};

/**
 * The interpreter as the supervisor sees it: a worker without permissions. All that comes from it is
 * the word of a program that may be hostile.
 */
export class Guest {
  #worker;
  #port;
  #wakeCount = new Int32Array(new SharedArrayBuffer(4));
  #interrupt = new Uint8Array(new SharedArrayBuffer(1));
  #output;
  #listener;

  /**
   * @param modules - Sources of the worker's modules by file name; each imports only those before it, and the last is the entry.
   * @param listener - Is told of `log`, `ready`, `line`, `output`, `snapshot` and `end`.
   */
  constructor(modules, listener) {
    const { port1, port2 } = new MessageChannel();
    const stdout = ByteRing.allocate(OUTPUT_RING_BYTES);
    const stderr = ByteRing.allocate(OUTPUT_RING_BYTES);
    this.#listener = listener;
    this.#port = port1;
    this.#output = [new ByteRing(stdout), new ByteRing(stderr)];
    this.#worker = new Worker(linkModules(modules), {
      type: 'module',
      deno: { permissions: 'none' },
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      tell(listener, ['crash', event.message]);
    });
    this.#worker.addEventListener('message', (event) => tell(listener, event.data));
    this.#port.addEventListener('message', (event) => tell(listener, event.data));
    this.#port.start();
    this.load(
      {
        port: port2,
        wakeCount: this.#wakeCount.buffer,
        interrupt: this.#interrupt.buffer,
        stdout,
        stderr,
      },
      [port2],
    );
  }

  /** Hands over a part of what the interpreter is made of. */
  load(part, transfer = []) {
    this.#worker.postMessage(part, transfer);
  }

  /** Sends a line, which is no longer usable here. */
  send(line) {
    // The buffer and not the view: `receiveMessageOnPort` of Deno looks at each element of a view.
    this.#port.postMessage(line.buffer, [line.buffer]);
    this.#wake();
  }

  /** Has the program raise `KeyboardInterrupt`, wherever it runs Python or waits. */
  interrupt() {
    Atomics.store(this.#interrupt, 0, KEYBOARD_INTERRUPT);
    this.#wake();
  }

  /** What the program wrote since the last call, as [stdout, stderr]. */
  takeOutput() {
    const output = this.#output.map((ring) => ring.read());
    // Not at once: a program that prints without end must not keep all else from its turn.
    if (!this.#output.every((ring) => ring.isEmpty)) setTimeout(() => this.#listener.output(), 0);
    return output;
  }

  #wake() {
    Atomics.add(this.#wakeCount, 0, 1);
    Atomics.notify(this.#wakeCount, 0);
  }
}

/** Messages are `[kind, value]`. What no guest of ours sends is left alone. */
function tell(listener, message) {
  if (!Array.isArray(message)) return;
  const [kind, value] = message;
  if (kind === 'output') listener.output();
  else if (kind === 'line' && value instanceof Uint8Array) listener.line(value);
  else if (kind === 'ready' && typeof value === 'string') listener.ready(value);
  else if (kind === 'log' && typeof value === 'string') listener.log(value);
  else if (kind === 'snapshot' && value instanceof Uint8Array) listener.snapshot(value);
  else if (kind === 'memory') listener.end(MEMORY_END);
  else if (kind === 'exit' && Number.isInteger(value)) listener.end(describeExit(value));
  else if (kind === 'crash' && typeof value === 'string') listener.end(describeCrash(value));
}

function describeExit(status) {
  const message = `the program ended its interpreter with status ${status}, and the session's state with it`;
  return { reason: 'exit', status, message };
}

/** WebAssembly has no signals: these are the ones that a process would have ended by. */
function describeCrash(stack) {
  const status = stack.includes('__abort_js') ? SIGABRT : SIGSEGV;
  const cause = stack.split('\n', 1)[0];
  const message = `the interpreter was ended as by signal ${status} (${cause}), and the session's state with it`;
  return { reason: 'signal', status, message };
}

/** A URL of the entry module: a worker without read permission can load modules from memory only. */
function linkModules(modules) {
  const urls = new Map();
  let entry;
  for (const [name, source] of Object.entries(modules)) {
    const linked = source.replace(/(?<=\bfrom )['"]([^'"]+)['"]/g, (quoted, specifier) => {
      // Files are known by their names alone, packages by all of theirs.
      const url = urls.get(specifier.replace(/^\..*\//, ''));
      return url === undefined ? quoted : `'${url}'`;
    });
    entry = URL.createObjectURL(new Blob([linked], { type: 'text/javascript' }));
    urls.set(name, entry);
  }
  return entry;
}
