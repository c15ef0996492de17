import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { COUNT, object, TEXT } from '../conversation/message-schema.ts';

/**
 * A file that is given to a run. Programs of the conversation find it at `/tmp/inputs/NAME`, from the
 * next program on. The model is told its name, size and media type, and of a text its first lines.
 */
export type FileInput = {
  readonly type: 'file';
  /**
   * The name under which programs find it: at most 255 bytes, without `/` and control characters. A
   * file with the name of an earlier one replaces it.
   */
  readonly name: string;
  /** Such as `text/csv`. @default by the end of the name, or `application/octet-stream` */
  readonly mediaType?: string | undefined;
} & (
  | {
      /** Its bytes. They are copied. */
      readonly data: Uint8Array;
      readonly path?: undefined;
    }
  | {
      /**
       * The path of a file of this machine, which is read when the run begins. Only your code may
       * choose it: never pass a path that a user or a model wrote.
       */
      readonly path: string;
      readonly data?: undefined;
    }
);

/** A file of a conversation, without its bytes. */
export interface InputFile {
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** The SHA-256 digest of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/** How many files a conversation can have. */
export const MOST_FILES = 100;

/** How many bytes the files of a conversation can have together, so that programs have room beside them. */
export function mostFileBytes({
  temporaryStorageBytes,
}: Pick<ResourceLimits, 'temporaryStorageBytes'>): number {
  return Math.floor(temporaryStorageBytes / 2);
}

/** Where programs find them. */
export const INPUTS_DIRECTORY = '/tmp/inputs';

const LONGEST_NAME_BYTES = 255;

/** The schema of the files of a conversation. */
export const INPUT_FILES_SCHEMA: JsonObject = {
  type: 'array',
  maxItems: MOST_FILES,
  items: object({
    name: { ...TEXT, minLength: 1, maxLength: LONGEST_NAME_BYTES },
    mediaType: { ...TEXT, maxLength: LONGEST_NAME_BYTES },
    sizeBytes: COUNT,
    sha256: { ...TEXT, pattern: '^[0-9a-f]{64}$' },
  }),
};

/** Why a file cannot have a name, such as `it has a slash`; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'it is not that of a file';
  if (name.includes('/')) return 'it has a slash';
  if (!name.isWellFormed()) return 'it has half of a surrogate pair';
  if (escapeLine(name) !== name) return 'it has a control character or an invisible one';
  const bytes = Buffer.byteLength(name);
  if (bytes > LONGEST_NAME_BYTES)
    return `it has ${bytes} bytes, and may have ${LONGEST_NAME_BYTES}`;
  return undefined;
}

/** Why a list of files, whose names may come from elsewhere, cannot be used; undefined if it can. */
export function filesProblem(files: readonly InputFile[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of files) {
    const problem = names.has(name) ? 'another file has it too' : nameProblem(name);
    if (problem !== undefined) return `the name ${escapeLine(JSON.stringify(name))}: ${problem}`;
    names.add(name);
  }
  return undefined;
}
