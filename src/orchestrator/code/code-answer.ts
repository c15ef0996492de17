import type { ExecutionResult } from '../../execution/execution.ts';
import type { OutputFile } from '../../execution/files/output-files.ts';
import type { ImageDataBlock } from '../../models/language-model.ts';

/** The answer to the model's call of `execute_code`. */
export interface CodeAnswer {
  /**
   * What the program printed and how it failed. If the program was stopped, also the outcomes of
   * its tool calls.
   */
  readonly text: string;
  /**
   * The images that the program showed. Give them to the model with the text; for a service without
   * images in the results of tools, as a message of the user after it.
   */
  readonly images: readonly ImageDataBlock[];
  /** The files that the program left in `$OUTPUT_DIR`. Give them to the user: `text` names them. */
  readonly files: readonly OutputFile[];
  /** Whether the program failed, or the input of the call was invalid. */
  readonly isError: boolean;
  /** The result of the program; undefined if no program ran, or if it still runs. */
  readonly result: ExecutionResult | undefined;
  /** The id of the program, if it still runs (`yieldAfterMs`). */
  readonly program?: string;
}

/** The answer with the result of a program. */
export interface ProgramAnswer extends CodeAnswer {
  readonly result: ExecutionResult;
}

/** @param text - The result as the model gets it. */
export function answerOf(result: ExecutionResult, text: string): ProgramAnswer {
  const images = result.images.map(({ mediaType, data }) => ({
    type: 'image' as const,
    mediaType,
    data,
  }));
  return { text, images, files: result.files, isError: !result.success, result };
}

/** @param problem - Why no program ran, for the model. */
export function refusedAnswer(problem: string): CodeAnswer {
  return { text: problem, images: [], files: [], isError: true, result: undefined };
}
