import { Buffer } from 'node:buffer';
import type { ImageDataBlock, ImageMediaType } from '../language-model.ts';
import type { MediaBlock } from '../media-problem.ts';
import { unsupportedBlock, type BlockPlace } from '../unsupported-block.ts';

type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** An image as the Converse API has it. */
interface ConverseImage {
  image: { format: ImageFormat; source: { bytes: Uint8Array } };
}

/** An image or a document as the Converse API has it. */
export type ConverseMedia =
  | ConverseImage
  | { document: { format: 'pdf' | 'txt'; name: string; source: { bytes: Uint8Array } } };

const IMAGE_FORMATS: Readonly<Record<ImageMediaType, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Shorter than the service's limit of 200 characters, to leave space for a number. */
const MAX_NAME_LENGTH = 190;

/** An image in the form that the service accepts. */
export function toImage({ mediaType, data }: ImageDataBlock): ConverseImage {
  const source = { bytes: Buffer.from(data, 'base64') };
  return { image: { format: IMAGE_FORMATS[mediaType], source } };
}

/** The images and documents of one request, in the form that the service accepts. */
export class BedrockMedia {
  readonly #names = new Set<string>();

  /** @throws PtcError `MODEL_INPUT_UNSUPPORTED` for a URL. */
  toBlock(block: MediaBlock, place: BlockPlace): ConverseMedia {
    if ('url' in block) {
      throw unsupportedBlock(
        block,
        place,
        `Amazon Bedrock does not accept URLs. Fetch the contents, and pass the data.`,
      );
    }
    if (block.type === 'image') return toImage(block);
    const name = this.#nameOf(block.title);
    return 'text' in block
      ? { document: { format: 'txt', name, source: { bytes: Buffer.from(block.text) } } }
      : { document: { format: 'pdf', name, source: { bytes: Buffer.from(block.data, 'base64') } } };
  }

  /**
   * Derives a unique name from a title. The service accepts letters, digits, single spaces, hyphens
   * and brackets, and refuses two documents with the same name in a conversation. Later requests
   * get the same names, so that they can be cached.
   */
  #nameOf(title: string = ''): string {
    const plain = title.replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ').trim();
    const name = plain.slice(0, MAX_NAME_LENGTH).trimEnd() || 'document';
    let unique = name;
    for (let count = 2; this.#names.has(unique.toLowerCase()); count += 1) {
      unique = `${name} ${count}`;
    }
    this.#names.add(unique.toLowerCase());
    return unique;
  }
}
