import type {
  InputBlock,
  LanguageModel,
  ModelMessage,
  ModelRequest,
} from '../models/language-model.ts';
import { mediaProblem } from '../models/media-problem.ts';
import { unsupportedInput } from '../models/unsupported-block.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import { given } from '../shared/given.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../tools/json-schema-validator.ts';
import { INPUT_BLOCK_SCHEMA } from './message-schema.ts';
import type { RunInput } from './run-events.ts';
import { Transcript } from './transcript.ts';

let schemaCheck: JsonSchemaCheck | undefined;

/**
 * A run's input, its blocks copied, so that nobody changes what was checked.
 * @throws PtcError `INPUT_INVALID`.
 */
export function readInput(input: RunInput): RunInput {
  if (typeof input === 'string') {
    if (input.trim() !== '') return input;
    throw new PtcError(
      'INPUT_INVALID',
      'The input of a run is an empty text. Say something in it.',
    );
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw new PtcError(
      'INPUT_INVALID',
      'The input of a run must be a text, or a list of at least one block.',
    );
  }
  return Object.freeze(input.map(readBlock));
}

function readBlock(source: unknown, index: number): InputBlock {
  // Without fields that are undefined, as JSON has it.
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
 * Asks the model of a run whether its service can take the conversation with the new input.
 * @throws PtcError `MODEL_INPUT_UNSUPPORTED`, what else the model says of it, or `RUN_FAILED` if that is not a `PtcError`.
 */
export function checkSupport(
  model: LanguageModel,
  request: Omit<ModelRequest, 'messages'>,
  history: readonly ModelMessage[],
  input: RunInput,
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

/** The caller knows a block of the input by its index there. */
function inWordsOfInput(
  error: unknown,
  messages: readonly ModelMessage[],
  input: RunInput,
): PtcError {
  if (!PtcError.isInstance(error)) {
    const message = `The model could not check the request: ${messageOf(error)}`;
    return new PtcError('RUN_FAILED', message, { cause: error });
  }
  if (error.code !== 'MODEL_INPUT_UNSUPPORTED') return error;
  const { message, block, why } = error.details;
  if (message !== messages.length - 1 || typeof block !== 'number') return error;
  // It may come after the results of an earlier run.
  const index = block - ((messages.at(-1)?.content.length ?? 0) - input.length);
  const one = typeof input === 'string' ? undefined : input[index];
  if (one === undefined || one.type === 'text') return error;
  return unsupportedInput(one, index, String(why));
}

function invalid(problem: string, input: number): PtcError {
  return new PtcError('INPUT_INVALID', `This cannot be the input of a run: ${problem}.`, {
    details: { input },
  });
}
