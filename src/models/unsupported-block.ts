import { PtcError } from '../shared/errors.ts';
import type { MediaBlock } from './media-problem.ts';

/** The position of a block in a request. */
export interface BlockPlace {
  /** The index of its message. */
  readonly message: number;
  /** The index in its message. */
  readonly block: number;
}

/**
 * The error for a block that a model's service does not accept. Nothing was sent.
 * @param why - What the service accepts and what to do, in sentences.
 */
export function unsupportedBlock(block: MediaBlock, place: BlockPlace, why: string): PtcError {
  return unsupportedAt(`messages[${place.message}].content[${place.block}]`, block, {
    ...place,
    why,
  });
}

/** The same error for a block of the input, by its index there. */
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
  const source = 'url' in block ? ' given as a URL' : '';
  return new PtcError(
    'MODEL_INPUT_UNSUPPORTED',
    `The model's service does not accept ${place}, the ${kind}${source}. ${details.why} Nothing was sent.`,
    { details: { ...details, type, mediaType } },
  );
}
