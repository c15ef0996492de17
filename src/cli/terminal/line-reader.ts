import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { onAbort } from '../../shared/async/on-abort.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { PastedText } from './pasted-text.ts';
import { TerminalInput } from './terminal-input.ts';

export interface LineReaderOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly prompt: string;
  /** Called for Ctrl-C at the prompt. `hadText` says whether typed text was discarded. */
  readonly onInterrupt: (hadText: boolean) => void;
}

/**
 * Reads lines: from a terminal with editing and history, from a file or a pipe unchanged. Input
 * that is typed while no line is being read is kept for the next line, and not shown until then. A
 * file or a pipe is read only as far as lines are wanted.
 * Text that is pasted into a terminal becomes part of one line, even if it has several lines.
 */
export class LineReader implements Disposable {
  readonly #interface: Interface;
  readonly #pasted: PastedText = new PastedText();
  readonly #lines: string[] = [];
  /** Also if the output is not a terminal, and lines are read without editing. */
  readonly #isTyped: boolean;
  #muted = true;
  #ended = false;
  #wake: Deferred<void> = createDeferred();
  #onInterrupt: (hadText: boolean) => void;

  constructor({ input, output, prompt, onInterrupt }: LineReaderOptions) {
    const terminal =
      input.isTTY && output.isTTY ? new TerminalInput(input, output, this.#pasted) : undefined;
    this.#isTyped = input.isTTY;
    this.#onInterrupt = onInterrupt;
    this.#interface = createInterface({
      input: terminal ?? input,
      output: terminal ? this.#mutable(output) : new Writable({ write: discard }),
      terminal: terminal !== undefined,
      prompt,
      removeHistoryDuplicates: true,
    });
    this.#interface.on('line', (line) => {
      this.#lines.push(this.#pasted.expand(line));
      this.#pause();
      this.#wake.resolve();
    });
    this.#interface.on('close', () => {
      this.#ended = true;
      terminal?.[Symbol.dispose]();
      this.#wake.resolve();
    });
    this.#interface.on('SIGINT', () => this.#interrupt());
    if (terminal) this.#watchKeys(terminal);
    this.#pause();
  }

  /**
   * Returns the next line; undefined at the end of the input, after Ctrl-D, or if the signal fires. Two
   * reads must not wait at a time.
   */
  async read(signal?: AbortSignal): Promise<string | undefined> {
    this.#muted = false;
    const isWanted = (): boolean => signal?.aborted !== true;
    const stopListening = signal && onAbort(signal, () => this.#wake.resolve());
    if (this.#lines.length === 0 && !this.#ended) this.#interface.prompt(true);
    while (this.#lines.length === 0 && !this.#ended && isWanted()) {
      await this.#wake.promise;
      this.#wake = createDeferred();
    }
    stopListening?.();
    this.#pause();
    this.#muted = true;
    return isWanted() ? this.#lines.shift() : undefined;
  }

  /**
   * Forgets what was typed into a terminal before its question was shown, also a line that is not
   * finished.
   */
  forgetTyped(): void {
    if (!this.#isTyped) return;
    this.#lines.length = 0;
    // A closed line editor has no line, and Node 24 throws.
    if (this.#interface.terminal && !this.#ended) this.#clearEditor();
  }

  /** Replaces the effect of Ctrl-C until the function ends. */
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

  /** Ends the input, as Ctrl-D does. */
  close(): void {
    this.#interface.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Stops reading a file or a pipe until a line is wanted: it may have more than fits into memory. A
   * terminal is always read, for the sake of Ctrl-C.
   */
  #pause(): void {
    if (!this.#isTyped && !this.#ended) this.#interface.pause();
  }

  #watchKeys(terminal: TerminalInput): void {
    // Called after the line editor, which has already removed one character.
    terminal.on('keypress', (_text, key: { readonly name?: string } | undefined) => {
      if (key?.name === 'backspace') this.#removeCutMark();
    });
    // Without this, readline stays paused after the process is continued.
    this.#interface.on('SIGTSTP', () => {
      terminal.suspend();
      if (!this.#muted && !this.#ended) this.#interface.prompt(true);
    });
  }

  /**
   * If Backspace removed the end of a paste's mark, removes the rest of it: an incomplete mark does
   * not stand for the paste.
   */
  #removeCutMark(): void {
    const { line, cursor } = this.#interface;
    const mark = this.#pasted.cutMark(line.slice(0, cursor));
    if (mark === undefined || line[cursor] === mark.at(-1)) return;
    for (let left = mark.length - 1; left > 0; left -= 1) {
      this.#interface.write(null, { name: 'backspace' });
    }
  }

  #interrupt(): void {
    const hadText = this.#interface.line !== '';
    if (!this.#muted) this.#clearEditor();
    this.#onInterrupt(hadText);
    if (!this.#muted && !this.#ended) this.#interface.prompt();
  }

  /** Ctrl-E, Ctrl-U: deletes the typed text, as in shells. */
  #clearEditor(): void {
    this.#interface.write(null, { ctrl: true, name: 'e' });
    this.#interface.write(null, { ctrl: true, name: 'u' });
  }

  /** The terminal, without output while no line is being read. */
  #mutable(output: NodeJS.WriteStream): NodeJS.WritableStream {
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#muted) output.write(chunk);
        done();
      },
    });
    // The line editor needs the current width.
    Object.defineProperty(stream, 'columns', { get: () => output.columns });
    output.on('resize', () => stream.emit('resize'));
    return stream;
  }
}

function discard(_chunk: unknown, _encoding: string, done: () => void): void {
  done();
}
