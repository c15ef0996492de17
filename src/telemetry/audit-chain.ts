import { createHash, createHmac } from 'node:crypto';
import { escapeJsonControls } from '../shared/json-escapes.ts';
import type { JsonObject, JsonValue } from '../shared/json.ts';

/** What the first line of a log names as the hash before it. */
export const NO_HASH: string = '0'.repeat(64);

/** Longer lines are none that a log wrote. */
export const MAXIMUM_LINE_BYTES: number = 9 * 2 ** 20;

/** Makes hashes that only who has it can make. */
export type ChainKey = Uint8Array | undefined;

/** Where a chain stands. */
export interface ChainPosition {
  /** Of the last line; 0 before the first. */
  readonly seq: number;
  readonly hash: string;
}

/** A line that is a link of a chain, of which chain nobody knows yet. */
export interface ChainLine extends ChainPosition {
  readonly type: string;
  readonly previous: string;
  /** All of it, as it was parsed. */
  readonly fields: JsonObject;
  /** Whether its hash is that of its text under the key. */
  readonly intact: boolean;
}

/** What one line of a file is: a link, JSON that is none, or no JSON, such as what a crash tore off. */
export type ReadLine = ChainLine | { readonly wrong: string } | undefined;

/** A chain that grows. */
export class Chain {
  readonly #key: ChainKey;
  #position: ChainPosition;

  constructor(key: ChainKey, position: ChainPosition = { seq: 0, hash: NO_HASH }) {
    this.#key = key;
    this.#position = position;
  }

  /** Makes the next line, with its line end. */
  seal(fields: JsonObject): Buffer {
    const seq = this.#position.seq + 1;
    const members = membersOf({ ...fields, seq, previous: this.#position.hash });
    const hash = hashOf(objectOf(members), this.#key);
    this.#position = { seq, hash };
    // Its members are not written anew: a line may have a megabyte.
    return Buffer.from(`${lineOf([...members, ...membersOf({ hash })])}\n`);
  }
}

/** Reads a line, without its line end. The text must be byte for byte what a log writes. */
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
    return { wrong: 'it is JSON, but no line of an audit log' };
  }
  const body = { ...rest, seq, type, previous };
  if (lineOf(membersOf({ ...body, hash })) !== text) {
    return { wrong: 'it was changed: a log writes the same content in another way' };
  }
  return { seq, type, previous, hash, fields, intact: hashOf(canonicalJson(body), key) === hash };
}

/** One text for one value: keys in order of their UTF-16 units, no white space (as in RFC 8785). */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  return objectOf(membersOf(value));
}

/** A member of an object: its name, and the text of both name and value. */
type Member = readonly [name: string, text: string];

function membersOf(value: JsonObject): Member[] {
  return Object.keys(value).map((name) => [
    name,
    `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`,
  ]);
}

function objectOf(members: readonly Member[]): string {
  const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${sorted.map(([, text]) => text).join(',')}}`;
}

/** As a line is written: who shows a log on a terminal must not be deceived by what a program put into a name. */
function lineOf(members: readonly Member[]): string {
  return escapeJsonControls(objectOf(members));
}

/** SHA-256, or HMAC-SHA-256 under a key, of the line without its hash; the hash before is in it. */
function hashOf(body: string, key: ChainKey): string {
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key);
  return hash.update(body).digest('hex');
}

// Lenient decoding would make one text of different bytes.
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
    if (typeof value !== 'object' || value === null || isList(value)) return undefined;
    // What is nested too deep for this is found here.
    canonicalJson(value);
    return value;
  } catch {
    return undefined;
  }
}

/** `Array.isArray` does not narrow a read-only array. */
function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
