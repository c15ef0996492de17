import { Buffer } from 'node:buffer';
import type { CodeAnswer } from './code-answer.ts';

/**
 * How many bytes the images of one run can have together. The programs of a run can be many, and
 * their images can be in one message. No service takes more in a request.
 */
const MAX_RUN_BYTES = 50_000_000;

/** Bounds the images of the programs of one run, which the conversation keeps. */
export class RunImages {
  #bytes = 0;

  /** The text and the images of an answer as the model gets them. The text says which are left out. */
  take({ text, images }: Pick<CodeAnswer, 'text' | 'images'>): Pick<CodeAnswer, 'text' | 'images'> {
    const leftOut: number[] = [];
    const kept = images.filter(({ data }, index) => {
      const bytes = this.#bytes + Buffer.byteLength(data, 'base64');
      const fits = bytes <= MAX_RUN_BYTES;
      if (fits) this.#bytes = bytes;
      else leftOut.push(index + 1);
      return fits;
    });
    if (leftOut.length === 0) return { text, images };
    const which = `${leftOut.length === 1 ? 'image' : 'images'} ${leftOut.join(', ')}`;
    const note = `[Left out: ${which} of those that the program showed, because the images of one run can have ${MAX_RUN_BYTES} bytes together. Show fewer or smaller ones.]`;
    // Above the text, because a list of calls with an unknown outcome ends it.
    return { text: `${note}\n${text}`, images: kept };
  }
}
