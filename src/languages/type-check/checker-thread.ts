import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { createDeferred, type Deferred } from '../../shared/deferred.ts';
import { messageOf } from '../../shared/errors.ts';
import type { CheckAnswer, CheckRequest } from './check-messages.ts';

const CHECK_DEADLINE_MS = 2000;
const START_DEADLINE_MS = 15_000;
const RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: 512,
  maxYoungGenerationSizeMb: 64,
  stackSizeMb: 8,
};

interface Reply {
  readonly answer?: CheckAnswer;
  readonly failure?: string;
}

/** The thread of the compiler: started when it is needed, ended and replaced when it takes too much. */
export class CheckerThread {
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });
  readonly #onProgress: ((message: string) => void) | undefined;
  #worker: Worker | undefined;
  #started: Deferred<void> = heardDeferred();
  #reply: Deferred<Reply> = heardDeferred();
  #closed = false;

  constructor(onProgress: ((message: string) => void) | undefined) {
    this.#onProgress = onProgress;
  }

  /** What the compiler says; undefined where it came to no end. */
  async ask(request: CheckRequest): Promise<CheckAnswer | undefined> {
    return this.#queue.add(async () => {
      try {
        await this.#start();
        this.#reply = heardDeferred();
        this.#worker?.postMessage(request);
        const reply = await this.#within(this.#reply.promise, CHECK_DEADLINE_MS);
        if (reply.answer !== undefined) return reply.answer;
        throw new Error(reply.failure);
      } catch (error) {
        if (!this.#closed) {
          this.#onProgress?.(`A program runs with its types unchecked: ${messageOf(error)}`);
        }
        return undefined;
      }
    });
  }

  async warmUp(): Promise<void> {
    await this.#queue.add(() => this.#start().catch(() => {}));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end(new Error('the executor was closed'));
  }

  async #start(): Promise<void> {
    if (this.#closed) throw new Error('the executor was closed');
    if (this.#worker === undefined) {
      this.#started = heardDeferred();
      // The extension is that of this file: TypeScript in the tests, JavaScript in the package.
      const file = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
      const worker = new Worker(file, { execArgv: [], resourceLimits: RESOURCE_LIMITS });
      worker.unref();
      this.#worker = worker;
      worker.on('message', (message: Reply | 'ready') => {
        if (message === 'ready') this.#started.resolve();
        else this.#reply.resolve(message);
      });
      worker.on('error', (error) => this.#onEnd(worker, error));
      worker.on('exit', () => this.#onEnd(worker, new Error('the type checker ended')));
    }
    await this.#within(this.#started.promise, START_DEADLINE_MS);
  }

  #onEnd(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#started.reject(error);
    this.#reply.reject(error);
  }

  async #end(reason: Error): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#onEnd(worker, reason);
    await worker.terminate();
  }

  async #within<Value>(work: Promise<Value>, limitMs: number): Promise<Value> {
    const timer = setTimeout(() => {
      void this.#end(new Error(`the type checker took longer than ${limitMs} ms`));
    }, limitMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** One that may fail while nobody waits for it. */
function heardDeferred<Value>(): Deferred<Value> {
  const deferred = createDeferred<Value>();
  deferred.promise.catch(() => {});
  return deferred;
}
