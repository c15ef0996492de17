import { connect, type Socket } from 'node:net';
import { ASK, IN_USE, SOON, TURN } from './name-socket.ts';

/** How long a holder may take to answer: its event loop may be busy, or it may be stopped. */
const ANSWER_MS = 3000;

/** How long a holder that said that the name will be free soon may take for that. */
const RELEASE_MS = 10_000;

/** Until when a process waits for a name, on the monotonic clock. */
export interface HolderPatience {
  /** For a holder that uses the name. */
  readonly deadline: number;
  /** For the answer of a holder. */
  readonly answerDeadline: number;
}

/** How long a process waits for a name that others hold, one after another. */
export class Patience implements HolderPatience {
  #deadline: number;
  #answerDeadline: number;

  /** @param waitMs - How long it waits for a holder that uses the name. `Infinity` means without a limit. */
  constructor(waitMs: number) {
    const now = performance.now();
    this.#deadline = now + waitMs;
    this.#answerDeadline = now + Math.max(waitMs, ANSWER_MS);
  }

  get deadline(): number {
    return this.#deadline;
  }

  get answerDeadline(): number {
    return this.#answerDeadline;
  }

  /** Does something else, whose time does not count. @throws what `work` throws. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const result = await work();
    const tookMs = performance.now() - began;
    this.#deadline += tookMs;
    this.#answerDeadline += tookMs;
    return result;
  }
}

/** The process that has a name. */
export interface NameHolder {
  /** What it says about itself. Undefined if it says nothing, or did not answer. */
  readonly advertised: string | undefined;
}

/**
 * What came of it: the holder's process told this one to take the name now, or its connection
 * ended, or it still has the name after the time that this process waits.
 */
export type Asked = { readonly turn: Socket } | 'ended' | { readonly holder: NameHolder };

/** An answer is shorter. Other data means nothing. */
const LONGEST_ANSWER = 4096;

/**
 * Asks the process that listens at an address for its name, and waits for it.
 * @returns A `turn` is a connection that the caller closes when it has taken the name: until then,
 * the others wait.
 * @throws the signal's reason if it fires first.
 */
export async function askHolder(
  address: string,
  patience: HolderPatience,
  signal: AbortSignal,
): Promise<Asked> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    let timer: NodeJS.Timeout | undefined;
    let received = '';
    let advertised: string | undefined;
    /** @param time - On the monotonic clock. */
    const waitUntil = (time: number): void => {
      clearTimeout(timer);
      if (time === Infinity) return;
      timer = setTimeout(
        () => end(() => resolve({ holder: { advertised } })),
        time - performance.now(),
      );
    };
    const stopWaiting = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const end = (settle: () => void): void => {
      stopWaiting();
      socket.destroy();
      settle();
    };
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    signal.addEventListener('abort', onAbort);
    waitUntil(patience.answerDeadline);
    socket.on('connect', () => socket.write(ASK));
    socket.setEncoding('utf8').on('data', (text: string) => {
      const answers = (received + text).split('\n');
      received = (answers.pop() ?? '').slice(0, LONGEST_ANSWER);
      // Several may arrive together.
      const answer = answers.at(-1);
      if (answer?.startsWith(IN_USE) === true) {
        advertised = answer.slice(1) || undefined;
        waitUntil(patience.deadline);
      }
      if (answer === SOON) waitUntil(Math.max(patience.deadline, performance.now() + RELEASE_MS));
      if (answer !== TURN) return;
      stopWaiting();
      resolve({ turn: socket.unref() });
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      stopWaiting();
      resolve('ended');
    });
  });
}
