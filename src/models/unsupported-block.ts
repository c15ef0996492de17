import { PtcError } from '../shared/errors.ts';
import type { MediaBlock } from './media-problem.ts';

/** Where a block is in a request. */
export interface BlockPlace {
  /** Index of its message. */
  readonly message: number;
  /** Its index in the message. */
  readonly block: number;
}

/**
 * A block that a model's service cannot take. Nothing was sent.
 * @param why - What the service takes, and what to do, as sentences.
 */
export function unsupportedBlock(block: MediaBlock, place: BlockPlace, why: string): PtcError {
  return unsupportedAt(`messages[${place.message}].content[${place.block}]`, block, {
    ...place,
    why,
  });
}

/** The same of a block that is not yet in a conversation: by its index in the input. */
export function unsupportedInput(block: MediaBlock, input: number, why: string): PtcError {
  return unsupportedAt(`input[${input}]`, block, { input, why });
}

function unsupportedAt(
  place: string,
  block: MediaBlock,
  details: { readonly why: string } & (BlockPlace | { readonly input: number }),
): PtcError {
  const { type, mediaType } = block;
  const kind = mediaType === undefined ? type : `${type} (${mediaType})`;
  const source = 'url' in block ? ' given by its address' : '';
  return new PtcError(
    'MODEL_INPUT_UNSUPPORTED',
    `The model cannot take ${place}, the ${kind}${source}. ${details.why} Nothing was sent.`,
    { details: { ...details, type, mediaType } },
  );
}
