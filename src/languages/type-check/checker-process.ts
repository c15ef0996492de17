import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { untilAborted } from '../../shared/async/abort.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';
import { messageOf } from '../../shared/errors.ts';
import {
  BOUNDS,
  type CheckAnswer,
  type CheckReply,
  type CheckRequest,
} from './shared/check-messages.ts';
import { readReply } from './shared/check-reply.ts';
import { CHECK_DEADLINE_MS, MAX_WAIT_MS, START_DEADLINE_MS } from './check-deadlines.ts';
import { checkerCommand } from './checker-command.ts';
import { Lines } from './shared/lines.ts';
import { UncheckedAskers } from './unchecked-askers.ts';

const BUSY = new Error(`the type checker was busy with other programs for ${MAX_WAIT_MS} ms`);

const ENDED_BEFORE = new Error('the check of another program of it had to be ended a moment ago');

/** Who waits for a check. */
interface Waiting {
  readonly signal: AbortSignal | undefined;
  readonly tenant: Group;
}

/** A started process, and the reply that is awaited from it. */
interface Running {
  send: (request: CheckRequest) => void;
  kill: () => void;
  readonly started: Deferred<void>;
  /** Settles when the process has ended. Never rejects. */
  readonly gone: Promise<void>;
  reply: Deferred<CheckAnswer>;
}

/**
 * Runs the compiler's process, which is started when it is needed, and ended and replaced if it
 * uses too much. It does not keep the event loop alive, and ends itself when this process ends.
 */
export class CheckerProcess {
  /**
   * Checks run one at a time, those of each tenant in its turn, in the order in which they were
   * asked for.
   */
  readonly #turns: Semaphore = new Semaphore(1);
  readonly #unchecked: UncheckedAskers = new UncheckedAskers();
  readonly #onProgress: ((message: string) => void) | undefined;
  #running: Running | undefined;
  #hasStarted = false;
  #closed = false;

  constructor(onProgress: ((message: string) => void) | undefined) {
    this.#onProgress = onProgress;
  }

  /**
   * The compiler's answer; undefined if it did not finish, if others were checked for too long, or
   * if the signal fires before the check begins.
   */
  async ask(request: CheckRequest, asker: Waiting): Promise<CheckAnswer | undefined> {
    try {
      return await this.#askInTurn(request, asker);
    } catch (error) {
      if (!this.#closed && asker.signal?.aborted !== true) {
        this.#onProgress?.(`A program runs with its types unchecked: ${messageOf(error)}`);
      }
      return undefined;
    }
  }

  async warmUp(): Promise<void> {
    // The first check that needs it reports why it cannot be started.
    await this.#start().catch(() => {});
  }

  /** Resolves when the process has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = this.#running;
    if (running === undefined) return;
    this.#end(running, 'the executor was closed');
    await running.gone;
  }

  async #askInTurn(request: CheckRequest, { signal, tenant }: Waiting): Promise<CheckAnswer> {
    if (request.code.length > BOUNDS.code) {
      throw new Error(`it is longer than ${BOUNDS.code} characters`);
    }
    // The first start takes longer, and is nobody's fault.
    const limit = this.#hasStarted ? AbortSignal.timeout(MAX_WAIT_MS) : undefined;
    const asker = { tenant, session: request.session };
    if (this.#unchecked.has(asker)) throw ENDED_BEFORE;
    using waiting = new AnySignal(limit, signal);
    if ((await this.#turns.take(waiting.signal, tenant)) === false) throw BUSY;
    try {
      // It may have been added while this one waited.
      if (this.#unchecked.has(asker)) throw ENDED_BEFORE;
      const running = await this.#start(limit);
      running.reply = heardDeferred();
      running.send(request);
      try {
        return await within(running.reply.promise, CHECK_DEADLINE_MS, () =>
          this.#end(running, `the type checker took longer than ${CHECK_DEADLINE_MS} ms`),
        );
      } finally {
        if (running !== this.#running) this.#unchecked.add(asker);
      }
    } finally {
      this.#turns.release();
    }
  }

  /** @param limit - If it fires, or after `START_DEADLINE_MS`, the caller no longer waits, but the process is started. */
  async #start(limit?: AbortSignal): Promise<Running> {
    if (this.#closed) throw new Error('the executor was closed');
    const running = this.#running ?? this.#spawn();
    using waiting = new AnySignal(limit);
    const started = untilAborted(running.started.promise, waiting.signal);
    // It is not ended then: on a slow machine, the next one would take as long, and no program would ever be checked.
    await within(started, START_DEADLINE_MS, () => waiting.abort(undefined));
    if (limit?.aborted === true) throw BUSY;
    if (waiting.signal.aborted)
      throw new Error(`the type checker took longer than ${START_DEADLINE_MS} ms to start`);
    this.#hasStarted = true;
    return running;
  }

  #spawn(): Running {
    const { file, args, cwd, env } = checkerCommand();
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      // Not in the terminal's process group: the host handles an interrupt there.
      detached: true,
      windowsHide: true,
    });
    const gone = createDeferred<void>();
    const running: Running = {
      send: () => {},
      kill: () => {},
      started: heardDeferred(),
      gone: gone.promise,
      reply: heardDeferred(),
    };
    this.#running = running;
    child.on('error', (error) => {
      this.#end(running, messageOf(error));
      gone.resolve();
    });
    child.on('exit', (_code, signal) => {
      this.#end(running, endReason(signal));
      gone.resolve();
    });
    // A process that could not be started may have no pipes. Its error is reported later.
    if (child.pid !== undefined) this.#connect(running, child);
    return running;
  }

  #connect(running: Running, child: ChildProcessByStdio<Writable, Readable, null>): void {
    const { stdin, stdout } = child;
    // The exit of the process reports its end.
    stdin.on('error', () => {});
    const lines = new Lines(BOUNDS.reply);
    stdout.setEncoding('utf8');
    stdout.on('data', (text: string) => {
      const complete = lines.add(text) ?? [''];
      for (const line of complete) this.#onReply(running, readReply(line));
    });
    child.unref();
    unref(stdin);
    unref(stdout);
    running.send = (request) => stdin.write(`${JSON.stringify(request)}\n`);
    running.kill = () => {
      stdout.destroy();
      // It cannot have started another process.
      child.kill('SIGKILL');
      // Keeps the event loop alive for callers that wait until the process has ended.
      child.ref();
    };
  }

  #onReply(running: Running, reply: CheckReply | undefined): void {
    if (reply === undefined) this.#end(running, 'the type checker sent an invalid reply');
    else if ('ready' in reply) running.started.resolve();
    else if ('answer' in reply) running.reply.resolve(reply.answer);
    else if ('failure' in reply) running.reply.reject(new Error(reply.failure));
    else this.#end(running, reply.end);
  }

  #end(running: Running, reason: string): void {
    if (running === this.#running) this.#running = undefined;
    const error = new Error(reason);
    running.started.reject(error);
    running.reply.reject(error);
    running.kill();
  }
}

/** Waits for `work`. @param onLate - Called if it takes longer than the limit. */
async function within<Value>(
  work: Promise<Value>,
  limitMs: number,
  onLate: () => void,
): Promise<Value> {
  const timer = setTimeout(onLate, limitMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * It ends itself by a signal if it uses too much memory. V8 does so too, and a kernel without free
 * memory.
 */
function endReason(signal: NodeJS.Signals | null): string {
  return signal === null
    ? 'the type checker ended'
    : `the type checker used more memory than its limit (${signal})`;
}

/**
 * Lets a child's pipe not keep the event loop alive: it is a socket, although its type is a stream.
 */
function unref(stream: Readable | Writable): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}

/** A promise that may reject while nothing waits for it. */
function heardDeferred<Value>(): Deferred<Value> {
  const deferred = createDeferred<Value>();
  deferred.promise.catch(() => {});
  return deferred;
}
