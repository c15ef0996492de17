import { StringDecoder } from 'node:string_decoder';
import { Transform, type TransformCallback } from 'node:stream';
import type { PastedText } from './pasted-text.ts';

/** Turns the bracketed paste mode of a terminal on and off. */
const MODE_ON = '\u001b[?2004h';
const MODE_OFF = '\u001b[?2004l';

/** How long an Escape may be the first byte of a longer sequence, in milliseconds. */
const ESCAPE_WAIT_MS = 100;

/**
 * The input of a terminal for a line editor, with pastes handled by `PastedText`. Turns on the
 * terminal's bracketed paste mode. The mode is turned off when this is closed, at the latest when
 * the process ends, even with an error.
 */
export class TerminalInput extends Transform implements Disposable {
  readonly isTTY = true;
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #pasted: PastedText;
  readonly #decoder: StringDecoder = new StringDecoder('utf8');
  readonly #stop = (): void => this.#setMode(MODE_OFF);
  #timer: NodeJS.Timeout | undefined;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, pasted: PastedText) {
    super();
    this.#input = input;
    this.#output = output;
    this.#pasted = pasted;
    input.pipe(this);
    process.on('exit', this.#stop);
    this.#setMode(MODE_ON);
  }

  /** Lets the line editor see single keys. Called by readline. */
  setRawMode(isRaw: boolean): void {
    this.#input.setRawMode(isRaw);
  }

  /** Stops the process, like Ctrl-Z in a shell, and returns when it is continued. */
  suspend(): void {
    this.setRawMode(false);
    this.#setMode(MODE_OFF);
    // Has no effect if there is no shell that could continue the process.
    process.kill(process.pid, 'SIGTSTP');
    this.setRawMode(true);
    this.#setMode(MODE_ON);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    clearTimeout(this.#timer);
    const typed = this.#pasted.take(this.#decoder.write(chunk));
    if (this.#pasted.isUncertain) {
      this.#timer = setTimeout(() => this.push(this.#pasted.settle()), ESCAPE_WAIT_MS);
    }
    done(null, typed);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#input.unpipe(this);
    this.#input.pause();
    process.off('exit', this.#stop);
    this.#stop();
  }

  #setMode(sequence: string): void {
    if (process.env['TERM'] !== 'dumb') this.#output.write(sequence);
  }
}
