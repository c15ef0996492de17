import type {
  InputBlock,
  LanguageModel,
  ModelMessage,
  ModelRequest,
} from '../../models/language-model.ts';
import { mediaProblem } from '../../models/media-problem.ts';
import { unsupportedInput } from '../../models/unsupported-block.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../../tools/schema/json-schema-validator.ts';
import { INPUT_BLOCK_SCHEMA } from './message-schema.ts';
import type { ModelInput, RunInput } from '../events/run-events.ts';
import { fileText } from '../files/file-text.ts';
import { checkFile, checkNames, readFiles, type GivenFile } from '../files/given-files.ts';
import type { FileInput } from '../files/input-file.ts';
import { Transcript } from './transcript.ts';

let schemaCheck: JsonSchemaCheck | undefined;

/** The input of a run that begins. */
export interface BegunInput {
  readonly input: ModelInput;
  readonly files: readonly GivenFile[];
}

/**
 * Validates a run's input and copies its blocks, so that later changes have no effect.
 * @param maxBytes - How many bytes its files may have.
 * @throws PtcError `INPUT_INVALID`.
 */
export function readInput(input: RunInput, maxBytes: number): RunInput {
  if (typeof input === 'string') {
    if (input.trim() !== '') return input;
    throw new PtcError(
      'INPUT_INVALID',
      'The input of a run must not be empty. Pass a text, or a list of blocks.',
    );
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw new PtcError(
      'INPUT_INVALID',
      'The input of a run must be a text, or a list with at least one block.',
    );
  }
  const blocks = input.map((block: InputBlock | FileInput, index) =>
    isFile(block) ? checkFile(block, index, maxBytes) : readBlock(block, index),
  );
  checkNames(filesOf(blocks));
  return Object.freeze(blocks);
}

/**
 * Reads the files of an input that was validated, and replaces each by what the model is told of it.
 * @throws PtcError `INPUT_INVALID`.
 */
export async function beginInput(input: RunInput, maxBytes: number): Promise<BegunInput> {
  if (typeof input === 'string') return { input, files: [] };
  const read = await readFiles(filesOf(input), maxBytes);
  const blocks = input.map((block, index): InputBlock => {
    if (!isFile(block)) return block;
    const { file, bytes } = read.get(index) as GivenFile;
    return { type: 'text', text: fileText(file, bytes) };
  });
  return { input: blocks, files: [...read.values()] };
}

/** By their index. */
function filesOf(blocks: readonly (InputBlock | FileInput)[]): ReadonlyMap<number, FileInput> {
  return new Map(
    [...blocks.entries()].flatMap(([index, block]) => (isFile(block) ? [[index, block]] : [])),
  );
}

function isFile(block: InputBlock | FileInput): block is FileInput {
  return typeof block === 'object' && block !== null && block.type === 'file';
}

function readBlock(source: unknown, index: number): InputBlock {
  // Like JSON, this drops properties whose value is undefined.
  const block: unknown = typeof source === 'object' && source !== null ? given(source) : source;
  schemaCheck ??= jsonSchemaCheck(INPUT_BLOCK_SCHEMA);
  const checked = schemaCheck.check({ block });
  const place = `input[${index}]`;
  if (!checked.valid) throw invalid(checked.message.replaceAll(/^block/gm, place), index);
  const good = block as InputBlock;
  const problem = blockProblem(good);
  if (problem !== undefined) throw invalid(`${place}: ${problem}`, index);
  return Object.freeze(good);
}

function blockProblem(block: InputBlock): string | undefined {
  if (block.type !== 'text') return mediaProblem(block);
  return block.text.trim() === '' ? 'its text is empty' : undefined;
}

/**
 * Asks the run's model whether its service accepts the conversation with the new input.
 * @throws PtcError `MODEL_INPUT_UNSUPPORTED`, other errors of the model, or `RUN_FAILED` for an
 *   error that is not a `PtcError`.
 */
export function checkSupport(
  model: LanguageModel,
  request: Omit<ModelRequest, 'messages'>,
  history: readonly ModelMessage[],
  input: ModelInput,
): void {
  const preview = new Transcript(history);
  preview.addInput(input);
  const { messages } = preview;
  try {
    model.check?.({ ...request, messages });
  } catch (error) {
    throw inWordsOfInput(error, messages, input);
  }
}

/**
 * Replaces the index of the block in the messages by its index in the input, which the caller
 * knows.
 */
function inWordsOfInput(
  error: unknown,
  messages: readonly ModelMessage[],
  input: ModelInput,
): PtcError {
  if (!PtcError.isInstance(error)) {
    const message = `The model could not check the request: ${messageOf(error)}`;
    return new PtcError('RUN_FAILED', message, { cause: error });
  }
  if (error.code !== 'MODEL_INPUT_UNSUPPORTED') return error;
  const { message, block, why } = error.details;
  if (message !== messages.length - 1 || typeof block !== 'number') return error;
  // The input may follow the results of an earlier run in the same message.
  const index = block - ((messages.at(-1)?.content.length ?? 0) - input.length);
  const one = typeof input === 'string' ? undefined : input[index];
  if (one === undefined || one.type === 'text') return error;
  return unsupportedInput(one, index, String(why));
}

function invalid(problem: string, input: number): PtcError {
  return new PtcError('INPUT_INVALID', `Invalid input of a run: ${problem}.`, {
    details: { input },
  });
}
