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
import type { RunInput } from '../events/run-events.ts';
import { Transcript } from './transcript.ts';

let schemaCheck: JsonSchemaCheck | undefined;

/**
 * Validates a run's input and copies its blocks, so that later changes have no effect.
 * @throws PtcError `INPUT_INVALID`.
 */
export function readInput(input: RunInput): RunInput {
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
  return Object.freeze(input.map(readBlock));
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

/**
 * Replaces the index of the block in the messages by its index in the input, which the caller
 * knows.
 */
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
