import { ByteRing } from './byte-ring.mjs';
import { isFrame, TOOL_RESULT } from './frames.mjs';
import {
  allocateLink,
  GUEST_EVENTS,
  CAPACITIES,
  HOLDS,
  INTERRUPT,
  STATE,
  WAITING,
  WAKES,
} from './link.mjs';
import { Lines } from './lines.mjs';
import { MAX_REPORT_BYTES } from './report.mjs';

const KEYBOARD_INTERRUPT = 2;
const SIGABRT = 6;
const SIGKILL = 9;
const SIGSEGV = 11;
/** The longest description of a crash. It may contain text of the program. */
const MAX_CAUSE = 200;
/** The error of V8 when its stack is full. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded';
const STACK_ADVICE =
  '; its values were nested too deeply, as those of a linked list of 20,000 nodes are; keep them in a flat list';

/** The end of a guest that used up its memory. */
export const MEMORY_END = {
  reason: 'memory',
  status: SIGKILL,
  message: "the program needed more memory than the sandbox has; the session's state is lost",
};
/** The end of a guest that sent a message that its own code never sends. */
export const VIOLATION_END = {
  reason: 'killed',
  status: SIGKILL,
  message: "the program broke into its interpreter, so it was ended; the session's state is lost",
};

/** The end of a guest whose program was interrupted and did not stop. */
export const UNSTOPPED_END = {
  reason: 'killed',
  status: SIGKILL,
  message:
    "the program did not stop when it was interrupted, so it was ended; the session's state is lost",
};
/** The end of a guest whose program continued after it had reported its end. */
export const RAN_ON_END = {
  reason: 'killed',
  status: SIGKILL,
  message: "the program ran on after its end, so it was ended; the session's state is lost",
};
/** The end of a guest that would do the same work on files for ever. */
export const FILES_END = {
  reason: 'killed',
  status: SIGKILL,
  message:
    "the work on files, such as a search, did not end in time, so the interpreter was ended; the session's state is lost",
};

/**
 * A guest as the supervisor sees it: a worker without permissions. Everything that it sends may
 * come from a hostile program.
 */
export class Guest {
  #worker;
  #listener;
  #memory = allocateLink();
  #control = new Int32Array(this.#memory.control);
  #inbox = new ByteRing(this.#memory.inbox, CAPACITIES.inbox);
  #outbox = new ByteRing(this.#memory.outbox, CAPACITIES.outbox);
  #output = [
    new ByteRing(this.#memory.stdout, CAPACITIES.stdout),
    new ByteRing(this.#memory.stderr, CAPACITIES.stderr),
  ];
  #endReport = new ByteRing(this.#memory.endReport, CAPACITIES.endReport);
  #unsent = [];
  /** Settles when everything is sent. Undefined if it is. */
  #sending;
  #received = new Uint8Array(CAPACITIES.outbox);
  #lines = new Lines();
  /** The code of the guest sends no longer line. */
  maxLineBytes = MAX_REPORT_BYTES;

  /**
   * @param script - The text of the worker's module. A worker without read permission can load
   * modules only from memory.
   * @param listener - Has the functions `log`, `ready`, `line`, `output`, `snapshot`, `end`, and
   * `fail` for a fault of the supervisor itself.
   */
  constructor(script, listener) {
    this.#listener = listener;
    const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    this.#worker = new Worker(url, {
      type: 'module',
      deno: { permissions: 'none' },
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      listener.end(describeCrash(event.message));
    });
    const onStartMessage = ({ data: [kind, value] }) => {
      // The last message before a program runs. From then on, only the shared memory is used.
      if (kind === 'ready') this.#worker.removeEventListener('message', onStartMessage);
      if (kind === 'crash') listener.end(describeCrash(value));
      else listener[kind](value);
    };
    this.#worker.addEventListener('message', onStartMessage);
    this.load({ link: this.#memory });
    this.#listen().catch((error) => listener.fail(error));
  }

  /** Passes a part of the interpreter to the worker. */
  load(part, transfer = []) {
    this.#worker.postMessage(part, transfer);
  }

  /** Sends a line. Returns a promise that settles when all is sent; undefined if it is. */
  send(line) {
    const sent = this.#isSending ? 0 : this.#write(line, 0);
    if (sent === line.length) return undefined;
    this.#unsent.push(line.subarray(sent));
    this.#sending ??= this.#sendRest().catch((error) => this.#listener.fail(error));
    return this.#sending;
  }

  /**
   * Drops results of tools that are not sent yet, because their program has ended. To read them all
   * could take longer than a program that is interrupted has.
   */
  dropResults() {
    this.#unsent = this.#unsent.filter((line) => !isFrame(line, TOOL_RESULT));
  }

  async #sendRest() {
    for (let line; (line = this.#unsent.shift()) !== undefined;) {
      for (let sent = 0; sent < line.length;) {
        await this.#inbox.untilRoom();
        sent += this.#write(line, sent);
      }
    }
    this.#sending = undefined;
  }

  get #isSending() {
    return this.#sending !== undefined;
  }

  /** Writes what fits of a line from `start` on, and returns how much that is. */
  #write(line, start) {
    const size = this.#inbox.write(line, start);
    this.#wake();
    return size;
  }

  /**
   * Makes it wait where a program only looks for a message, for the messages that are held back until
   * it waits.
   */
  holdMessages(isHeld) {
    Atomics.store(this.#control, HOLDS, isHeld ? 1 : 0);
    this.#wake();
  }

  /** Makes the program raise `KeyboardInterrupt`, while it runs Python or waits. */
  interrupt() {
    Atomics.store(this.#control, INTERRUPT, KEYBOARD_INTERRUPT);
    this.#wake();
  }

  #wake() {
    Atomics.add(this.#control, WAKES, 1);
    Atomics.notify(this.#control, WAKES);
  }

  get hasOutput() {
    return !this.#output[0].isEmpty || !this.#output[1].isEmpty;
  }

  /** Returns the program's output since the last call, as [stdout, stderr]. */
  takeOutput() {
    return this.#output.map((ring) => ring.read());
  }

  /**
   * Whether the guest waits for its next message, so nothing of a program runs in it, and everything
   * that it sent before has been read.
   */
  get isWaiting() {
    return this.#isBlocked(Atomics.load(this.#control, STATE)) && this.#outbox.isEmpty;
  }

  /** Resolves when it waits. */
  async untilWaiting() {
    for (;;) {
      const state = Atomics.load(this.#control, STATE);
      const isBlocked = this.#isBlocked(state);
      if (isBlocked && this.#outbox.isEmpty) return;
      const change = Atomics.waitAsync(this.#control, STATE, state);
      await (change.async && !isBlocked ? change.value : newTurn());
    }
  }

  #isBlocked(state) {
    // A message that it has not read yet is about to wake it.
    return state === WAITING && this.#inbox.isEmpty && !this.#isSending;
  }

  /** Reads what the guest sends, as long as the process lives. */
  async #listen() {
    for (;;) {
      const seen = Atomics.load(this.#control, GUEST_EVENTS);
      const lines = this.#received.subarray(0, this.#outbox.readInto(this.#received));
      // Output that was printed before a line has arrived together with the line, and is passed on
      // before it.
      this.#listener.output();
      this.#takeLines(lines);
      if (!this.#endReport.isEmpty) this.#listener.end(readEndReport(this.#endReport.read()));
      const change = Atomics.waitAsync(this.#control, GUEST_EVENTS, seen);
      // A program that sends without a pause must not block everything else.
      await (change.async && this.#hasSentNothing ? change.value : newTurn());
    }
  }

  get #hasSentNothing() {
    return this.#outbox.isEmpty && !this.hasOutput;
  }

  #takeLines(bytes) {
    for (const line of this.#lines.push(bytes)) this.#listener.line(line);
    if (this.#lines.unfinishedBytes > this.maxLineBytes) this.#listener.end(VIOLATION_END);
  }
}

async function newTurn() {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Reads the guest's message about its own end. */
function readEndReport(bytes) {
  const { reason, status, account } = JSON.parse(new TextDecoder().decode(bytes));
  if (reason === 'memory') return MEMORY_END;
  return reason === 'exit' ? describeExit(status & 0xff) : describeCrash(String(account));
}

function describeExit(status) {
  const message = `the program ended its interpreter with status ${status}, and the session's state with it`;
  return { reason: 'exit', status, message };
}

/** WebAssembly has no signals. These are the signals by which a process would have ended. */
function describeCrash(stack) {
  const status = stack.includes('__abort_js') ? SIGABRT : SIGSEGV;
  const advice = stack.includes(STACK_OVERFLOW) ? STACK_ADVICE : '';
  const message = `the interpreter was ended as by signal ${status} (${printable(stack)}), and the session's state with it${advice}`;
  return { reason: 'signal', status, message };
}

/** Returns the first line, shortened, without characters that control a terminal. */
function printable(text) {
  const [line] = text.split('\n', 1);
  const cut = line.length > MAX_CAUSE ? `${line.slice(0, MAX_CAUSE)}…` : line;
  return cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}
