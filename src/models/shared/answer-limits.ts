import { PtcError } from '../../shared/errors.ts';

/** The largest event of an answer, in bytes: the clients keep an event until it is whole. */
export const MAX_EVENT_BYTES: number = 16 * 1024 * 1024;
/** The largest answer, with all that the service's protocol adds to it. */
export const MAX_ANSWER_BYTES: number = 256 * 1024 * 1024;
/** How much of an error's body is read: the clients read all of it for their message. */
export const MAX_ERROR_BYTES: number = 64 * 1024;

/** @param what - The beginning of a sentence: "it has", "an event of it has". */
export function tooLarge(model: string, what: string, limit: number): PtcError {
  return new PtcError(
    'MODEL_ANSWER_INVALID',
    `The answer of ${model} cannot be used: ${what} more than ${limit} bytes. The cause is in the model's service.`,
    { details: { model } },
  );
}

/** The most parts of an answer, such as texts and calls, far above what a model writes. */
export const MAX_PARTS = 10_000;

export function tooManyParts(model: string): PtcError {
  return new PtcError(
    'MODEL_ANSWER_INVALID',
    `The answer of ${model} cannot be used: it has more than ${MAX_PARTS} parts. The cause is in the model's service.`,
    { details: { model } },
  );
}
