import { createSupportsTerminalGraphics } from 'supports-terminal-graphics';
import type { ExecutionResult } from '../../execution/execution.ts';
import { messageOf } from '../../shared/errors.ts';
import { drawImage, type Graphics } from './draw-image.ts';
import { OutputDirectory } from './output-directory.ts';

/** Where what programs produce is told of. */
export interface ProducedView {
  /** Shows a line, which may have any characters. */
  readonly line: (text: string) => void;
  /** Writes what a terminal draws an image for. @default images are not drawn */
  readonly draw?: (sequence: string) => void;
}

type Results = Pick<ExecutionResult, 'files' | 'fileProblems' | 'images' | 'imageProblems'>;

const ENDINGS = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const MOST_NAMED = 5;

/** Saves the files and images of programs, draws the images, and tells of them. */
export class Produced {
  readonly #directory: OutputDirectory | undefined;
  readonly #graphics: Graphics;
  #images = 0;
  #isIncomplete = false;

  private constructor(directory: OutputDirectory | undefined, graphics: Graphics) {
    this.#directory = directory;
    this.#graphics = graphics;
  }

  /**
   * @param path - That of `--output`; undefined if nothing is saved.
   * @throws UsageError
   */
  static async in(path: string | undefined): Promise<Produced> {
    const directory = path === undefined ? undefined : await OutputDirectory.open(path);
    return new Produced(directory, graphicsOf(process.stdout));
  }

  /** Whether something that was to be saved could not be, also because the sandbox did not return it. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** Takes what one program produced. Never throws. */
  async take(results: Results, { line, draw }: ProducedView): Promise<void> {
    for (const image of results.images) {
      const drawn = await drawImage(image, this.#graphics, process.stdout.columns || 80);
      if (drawn !== undefined) draw?.(drawn);
    }
    const problems = [...results.imageProblems, ...results.fileProblems];
    for (const problem of problems) line(problem);
    if (this.#directory !== undefined && problems.length > 0) this.#isIncomplete = true;
    const images = results.images.map(({ mediaType, data }) => ({
      name: `image-${++this.#images}.${ENDINGS[mediaType]}`,
      data,
    }));
    const all = [...results.files, ...images];
    if (this.#directory === undefined) {
      if (all.length > 0) line(notSaved(all.map(({ name }) => name)));
      return;
    }
    for (const { name, data } of all) {
      try {
        line(`Saved ${await this.#directory.save(name, Buffer.from(data, 'base64'))}`);
      } catch (error) {
        this.#isIncomplete = true;
        line(`${name} could not be saved: ${messageOf(error)}`);
      }
    }
  }
}

function notSaved(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `Not saved: ${names.slice(0, MOST_NAMED).join(', ')}${more}. To save files and images, add --output DIR.`;
}

/** A terminal in a terminal, such as tmux, drops the sequences or shows their characters. */
function graphicsOf(stream: NodeJS.WriteStream): Graphics {
  const term = process.env['TERM'] ?? '';
  if (/^(?:screen|tmux)/.test(term)) return { kitty: false, iterm2: false, sixel: false };
  const graphics = createSupportsTerminalGraphics(stream);
  // The library does not know foot, which draws sixel only.
  return { ...graphics, sixel: graphics.sixel || (stream.isTTY && term.startsWith('foot')) };
}
