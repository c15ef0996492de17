import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isUint8Array } from 'node:util/types';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { showValue } from '../../shared/show-value.ts';
import { nameProblem, type FileInput, type InputFile } from './input-file.ts';
import { mediaTypeOf } from '../../shared/files/media-type.ts';

/** A file that was given to a run, with its bytes. */
export interface GivenFile {
  readonly file: InputFile;
  readonly bytes: Uint8Array;
}

const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/;

/** A file of an input, whose place in it is `of`, such as `input[1]`. */
export function fileInputOptions(of: string): OptionsObject<FileInput> {
  return {
    of,
    names: { type: true, name: 'text', mediaType: 'text', data: true, path: 'text' },
    required: ['name'],
    code: 'INPUT_INVALID',
    page: 'docs/input-files.md',
    otherWords: { content: 'data', bytes: 'data', file: 'path', filename: 'name', title: 'name' },
  };
}

/**
 * Checks a file of an input, and copies its bytes, so that later changes have no effect.
 * @param maxBytes - How many bytes all files of a conversation may have.
 * @throws PtcError `INPUT_INVALID`
 */
export function checkFile(source: unknown, index: number, maxBytes: number): FileInput {
  const place = `input[${index}]`;
  checkOptionNames(source, fileInputOptions(place));
  const file = given(source as FileInput) as FileInput;
  const { name, mediaType, data, path } = file;
  const refuse = (problem: string): PtcError => invalidFile(`${place}: ${problem}`, index);
  const problem = nameProblem(name);
  if (problem !== undefined) throw refuse(`the name ${showValue(name)} cannot be used: ${problem}`);
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType)) {
    throw refuse(`mediaType must be of the form text/csv, not ${showValue(mediaType)}`);
  }
  if ((data === undefined) === (path === undefined)) {
    throw refuse('a file needs either data, its bytes, or path, that of a file of this machine');
  }
  if (data === undefined) return Object.freeze(file);
  if (!isUint8Array(data)) {
    throw refuse(`data must be a Uint8Array, such as a Buffer, not ${showValue(data)}`);
  }
  if (data.length > maxBytes) throw refuse(tooLarge(data.length, maxBytes));
  return Object.freeze({ ...file, data: new Uint8Array(data) } as FileInput);
}

/** @throws PtcError `INPUT_INVALID` if two files of an input have the same name. */
export function checkNames(input: ReadonlyMap<number, FileInput>): void {
  const names = new Set<string>();
  for (const [index, { name }] of input) {
    if (names.has(name)) {
      const problem = `another file of this run has the name ${showValue(name)}`;
      throw invalidFile(`input[${index}]: ${problem}`, index);
    }
    names.add(name);
  }
}

/**
 * Reads the files of an input that are named by their path.
 * @throws PtcError `INPUT_INVALID` if one cannot be read, or together they have more than `maxBytes`.
 */
export async function readFiles(
  input: ReadonlyMap<number, FileInput>,
  maxBytes: number,
): Promise<ReadonlyMap<number, GivenFile>> {
  const read = new Map<number, GivenFile>();
  let room = maxBytes;
  for (const [index, { name, mediaType = mediaTypeOf(name), data, path }] of input) {
    const place = `input[${index}]`;
    const bytes = data ?? (await readPath(path, { index, place, maxBytes }));
    room -= bytes.length;
    if (room < 0) throw invalidFile(`${place}: ${tooLarge(maxBytes - room, maxBytes)}`, index);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    read.set(index, { file: { name, mediaType, sizeBytes: bytes.length, sha256 }, bytes });
  }
  return read;
}

async function readPath(
  path: string,
  { index, place, maxBytes }: { index: number; place: string; maxBytes: number },
): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    // The reader of a fifo would wait for a writer.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await file.stat();
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > maxBytes) throw new Error(tooLarge(facts.size, maxBytes));
    // The file may grow meanwhile.
    const bytes = new Uint8Array(facts.size);
    let length = 0;
    let bytesRead: number;
    do {
      ({ bytesRead } = await file.read(bytes, length, bytes.length - length, length));
      length += bytesRead;
    } while (bytesRead > 0);
    if (facts.size === 0 && (await file.read(new Uint8Array(1), 0, 1, 0)).bytesRead > 0) {
      throw new Error('it has no size, and content nevertheless. Pass its bytes as data');
    }
    return bytes.subarray(0, length);
  } catch (cause) {
    const why = `the file ${showValue(path)} cannot be read: ${messageOf(cause)}`;
    throw invalidFile(`${place}: ${why}`, index, cause);
  } finally {
    await file?.close();
  }
}

/** Why files that have so many bytes are refused. */
export function tooLarge(bytes: number, maxBytes: number): string {
  return `files of ${bytes} bytes are too large. The files of a conversation may have ${maxBytes} bytes together, half of limits.temporaryStorageBytes of the executor, which you can raise`;
}

export function invalidFile(problem: string, input?: number, cause?: unknown): PtcError {
  return new PtcError('INPUT_INVALID', `Invalid input of a run: ${problem}.`, {
    ...(input !== undefined && { details: { input } }),
    cause,
  });
}
