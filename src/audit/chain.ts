import { createHash, createHmac } from 'node:crypto';
import { canonicalJson, membersOf, objectOf, type Member } from '../shared/json/canonical-json.ts';
import { escapeJsonControls } from '../shared/json/json-escapes.ts';
import type { JsonObject, JsonValue } from '../shared/json/json.ts';

/** The hash that the first line of a log names as the previous one. */
export const NO_HASH: string = '0'.repeat(64);

/** The longest line that a log writes, in bytes. */
export const MAXIMUM_LINE_BYTES: number = 9 * 2 ** 20;

/** The key of a log's hashes, without which nobody can make them. */
export type ChainKey = Uint8Array | undefined;

/** The end of a chain. */
export interface ChainPosition {
  /** The number of the last line; 0 before the first line. */
  readonly seq: number;
  readonly hash: string;
}

/** A valid line of some chain. Its chain is not checked yet. */
export interface ChainLine extends ChainPosition {
  readonly type: string;
  readonly previous: string;
  /** All fields, as parsed. */
  readonly fields: JsonObject;
  /** Whether its hash matches its text and the key. */
  readonly intact: boolean;
}

/**
 * A line of a file: a line of a chain, JSON that is not one, or not JSON, such as the part of a
 * line that a crash left.
 */
export type ReadLine = ChainLine | { readonly wrong: string } | undefined;

/** A chain to which lines are added. */
export class Chain {
  readonly #key: ChainKey;
  #position: ChainPosition;

  constructor(key: ChainKey, position: ChainPosition = { seq: 0, hash: NO_HASH }) {
    this.#key = key;
    this.#position = position;
  }

  /** Creates the next line, with its line end. */
  seal(fields: JsonObject): Buffer {
    const seq = this.#position.seq + 1;
    const members = membersOf({ ...fields, seq, previous: this.#position.hash });
    const hash = hashOf(objectOf(members), this.#key);
    this.#position = { seq, hash };
    // The members are not serialized again: a line can have a megabyte.
    return Buffer.from(`${lineOf([...members, ...membersOf({ hash })])}\n`);
  }
}

/** Reads a line without its line end. The text must be byte for byte what a log would write. */
export function readLine(bytes: Uint8Array, key: ChainKey): ReadLine {
  const text = decode(bytes);
  const fields = text === undefined ? undefined : parseObject(text);
  if (fields === undefined) return undefined;
  const { seq, type, previous, hash, ...rest } = fields;
  if (
    typeof seq !== 'number' ||
    typeof type !== 'string' ||
    typeof previous !== 'string' ||
    typeof hash !== 'string'
  ) {
    return { wrong: 'it is JSON, but not a line of an audit log' };
  }
  const body = { ...rest, seq, type, previous };
  if (lineOf(membersOf({ ...body, hash })) !== text) {
    return { wrong: 'it was changed: a log would write the same content differently' };
  }
  return { seq, type, previous, hash, fields, intact: hashOf(canonicalJson(body), key) === hash };
}

/**
 * The text of a line. Control characters are escaped, so that text from a program cannot deceive a
 * person who displays the log in a terminal.
 */
function lineOf(members: readonly Member[]): string {
  return escapeJsonControls(objectOf(members));
}

/**
 * SHA-256, or HMAC-SHA-256 with a key, of the line without its hash. The line contains the previous
 * hash.
 */
function hashOf(body: string, key: ChainKey): string {
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key);
  return hash.update(body).digest('hex');
}

// Lenient decoding would map different bytes to the same text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    // Throws here if the value is nested too deeply.
    canonicalJson(value);
    return value as JsonObject;
  } catch {
    return undefined;
  }
}
