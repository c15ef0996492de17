import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { createDeferred, type Deferred } from '../shared/deferred.ts';

export interface LineReaderOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly prompt: string;
  /** Ctrl-C at the prompt. `hadText` says whether it threw away something typed. */
  readonly onInterrupt: (hadText: boolean) => void;
}

/**
 * Reads lines with editing and history from a terminal, or as they are from a file or a pipe. What
 * is typed while nobody reads is kept for the next time, and does not show in between.
 */
export class LineReader implements Disposable {
  readonly #interface: Interface;
  readonly #isTerminal: boolean;
  readonly #lines: string[] = [];
  #muted = true;
  #ended = false;
  #wake: Deferred<void> = createDeferred();
  #onInterrupt: (hadText: boolean) => void;

  constructor({ input, output, prompt, onInterrupt }: LineReaderOptions) {
    this.#isTerminal = input.isTTY && output.isTTY;
    this.#onInterrupt = onInterrupt;
    this.#interface = createInterface({
      input,
      output: this.#isTerminal ? this.#mutable(output) : new Writable({ write: discard }),
      terminal: this.#isTerminal,
      prompt,
      removeHistoryDuplicates: true,
    });
    this.#interface.on('line', (line) => {
      this.#lines.push(line);
      this.#wake.resolve();
    });
    this.#interface.on('close', () => {
      this.#ended = true;
      this.#wake.resolve();
    });
    this.#interface.on('SIGINT', () => this.#interrupt());
  }

  /** The next line; undefined at the end of the input, which Ctrl-D is. */
  async read(): Promise<string | undefined> {
    this.#muted = false;
    if (this.#lines.length === 0 && !this.#ended) this.#interface.prompt(true);
    while (this.#lines.length === 0 && !this.#ended) {
      await this.#wake.promise;
      this.#wake = createDeferred();
    }
    this.#muted = true;
    return this.#lines.shift();
  }

  /** Has Ctrl-C do something else until the function has ended. */
  async interruptWith<Result>(
    onInterrupt: () => void,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const usual = this.#onInterrupt;
    this.#onInterrupt = onInterrupt;
    try {
      return await work();
    } finally {
      this.#onInterrupt = usual;
    }
  }

  /** Ends the reading, as Ctrl-D does. */
  close(): void {
    this.#interface.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #interrupt(): void {
    const hadText = this.#interface.line !== '';
    if (!this.#muted) {
      // Ctrl-E, Ctrl-U: takes away what is typed, as shells do.
      this.#interface.write(null, { ctrl: true, name: 'e' });
      this.#interface.write(null, { ctrl: true, name: 'u' });
    }
    this.#onInterrupt(hadText);
    if (!this.#muted && !this.#ended) this.#interface.prompt();
  }

  /** The terminal, except while nobody reads. */
  #mutable(output: NodeJS.WriteStream): NodeJS.WritableStream {
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#muted) output.write(chunk);
        done();
      },
    });
    // Line editing has to know the width, also after it changed.
    Object.defineProperty(stream, 'columns', { get: () => output.columns });
    output.on('resize', () => stream.emit('resize'));
    return stream;
  }
}

function discard(_chunk: unknown, _encoding: string, done: () => void): void {
  done();
}
