import type { ImageMessage, OutputStream } from '../protocol/messages.ts';
import type { PacedListener } from '../shared/listeners/paced-listener.ts';
import { CapturedOutput } from './captured-output.ts';
import type { ExecutionEvent, ExecutionResult } from './execution.ts';
import { ShownImages } from './shown-images.ts';

/** What a program prints and shows. Its listener hears of the text at once. */
export class ProgramOutput {
  readonly #streams: Record<OutputStream, CapturedOutput>;
  readonly #images: ShownImages = new ShownImages();
  readonly #listener: PacedListener<ExecutionEvent> | undefined;

  /** @param maxBytes - How much of each stream is kept. */
  constructor(maxBytes: number, listener: PacedListener<ExecutionEvent> | undefined) {
    this.#listener = listener;
    this.#streams = { stdout: new CapturedOutput(maxBytes), stderr: new CapturedOutput(maxBytes) };
  }

  /** @param omittedBytes - How much the runner left out before the text. */
  print(stream: OutputStream, text: string, omittedBytes: number): void {
    const kept = this.#streams[stream].add(text, omittedBytes);
    this.#listener?.tell({ type: 'output-delta', stream, text: kept });
  }

  /** Adds the value of the last expression below the output, as far as the limit allows. */
  showValue(value: string): void {
    const text = this.#streams.stdout.addLine(value);
    this.#listener?.tell({ type: 'output-delta', stream: 'stdout', text });
  }

  showImage(message: ImageMessage): void {
    this.#images.receive(message);
  }

  /** What it has printed so far. */
  get printed(): Pick<ExecutionResult, 'stdout' | 'stderr'> {
    const { stdout, stderr } = this.#streams;
    return { stdout: stdout.text, stderr: stderr.text };
  }

  /** What it has printed and shown, as its result has it. */
  get all(): Pick<ExecutionResult, 'stdout' | 'stderr' | 'truncated' | 'images' | 'imageProblems'> {
    const { stdout, stderr } = this.#streams;
    return {
      ...this.printed,
      truncated: stdout.truncated || stderr.truncated,
      images: this.#images.images,
      imageProblems: this.#images.problems,
    };
  }
}
