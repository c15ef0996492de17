import { isUtf8 } from 'node:buffer';
import { toBareJson } from '../shared/bare-json.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import { shapeOfFrame } from './frame-shape.ts';
import { findBadField } from './guards.ts';
import type { HostMessage, OutputStream, RunnerMessage } from './messages.ts';
import type { ToolCallMessage, ValueMessage } from './messages.ts';

/**
 * A frame is one line: opening marker, JSON, closing marker, newline. JSON escapes newlines, so a
 * line is a frame, and a payload may hold any text, a marker included.
 */

/**
 * Largest frame on standard output but for a value, in bytes. Reading one holds the host for up to 10 ms a mebibyte. The largest that our
 * runner sends has a program's last value, of 262,144 characters, each escaped in at most 12 bytes, and its error.
 */
export const MAX_REPORT_BYTES: number = 4 * 1024 * 1024;

/** How large a tool call, or the value that a program hands back, may be when it leaves the sandbox. */
export interface CallLimits {
  /** Bytes of its frame: its arguments or the value as JSON, its tool's name, and about a hundred bytes more. */
  readonly bytes: number;
  /** Values in its arguments, or in the value: numbers, texts, lists, objects. */
  readonly values: number;
}

/**
 * Such a call holds the host for less than 50 ms, whatever is in it. Different keys take the longest: 20,000
 * of them take about 20 ms to read, and 100,000 of them 150 ms.
 */
export const DEFAULT_CALL_LIMITS: CallLimits = { bytes: 1024 * 1024, values: 20_000 };

/** The values of a call's frame beside its arguments; the other frames have fewer than a hundred in all. */
const CALL_FIELDS = 4;
const MAX_REPORT_VALUES = 100;

const HOST_MARKERS: Record<HostMessage['kind'], readonly [string, string]> = {
  configure: ['__PTC_CONFIGURE__', '__PTC_END_CONFIGURE__'],
  execute: ['__PTC_EXECUTE__', '__PTC_END_EXECUTE__'],
  'tool-result': ['__PTC_TOOL_RESULT__', '__PTC_END_RESULT__'],
  cancel: ['__PTC_CANCEL__', '__PTC_END_CANCEL__'],
  extend: ['__PTC_EXTEND__', '__PTC_END_EXTEND__'],
  attach: ['__PTC_ATTACH__', '__PTC_END_ATTACH__'],
  exit: ['__PTC_EXIT__', '__PTC_END_EXIT__'],
};

interface RunnerFrame {
  readonly kind: RunnerMessage['kind'];
  readonly stream: OutputStream;
  readonly open: string;
  readonly close: string;
}

const RUNNER_FRAMES: readonly RunnerFrame[] = [
  { kind: 'tool-call', stream: 'stderr', open: '__PTC_TOOL_CALL__', close: '__PTC_END_CALL__' },
  {
    kind: 'call-given-up',
    stream: 'stderr',
    open: '__PTC_CALL_GIVEN_UP__',
    close: '__PTC_END_CALL_GIVEN_UP__',
  },
  { kind: 'output-chunk', stream: 'stdout', open: '__PTC_CHUNK__', close: '__PTC_END_CHUNK__' },
  { kind: 'value', stream: 'stdout', open: '__PTC_VALUE__', close: '__PTC_END_VALUE__' },
  { kind: 'outcome', stream: 'stdout', open: '__PTC_OUTPUT__', close: '__PTC_END_OUTPUT__' },
  { kind: 'ready', stream: 'stdout', open: '__PTC_READY__', close: '__PTC_END_READY__' },
  { kind: 'attached', stream: 'stdout', open: '__PTC_ATTACHED__', close: '__PTC_END_ATTACHED__' },
];

/** The line that carries a message to the runner, newline included. */
export function encodeFrame(message: HostMessage): string {
  const [open, close] = HOST_MARKERS[message.kind];
  return `${open}${encodeBody(message)}${close}\n`;
}

function encodeBody(message: HostMessage): string {
  if (message.kind === 'tool-result') {
    const callId = JSON.stringify(message.call_id);
    const error = JSON.stringify(message.error);
    return `{"call_id":${callId},"error":${error},"result":${message.result.text}}`;
  }
  const { kind: _kind, ...body } = message;
  return JSON.stringify(body);
}

/** A line of a runner's output: a message, or text that is no frame. */
export type DecodedLine = RunnerMessage | { readonly kind: 'noise'; readonly text: string };

/**
 * Reads one line.
 * @param stream - Where it came from: each kind of frame has its own stream.
 * @param calls - How large a tool call may be.
 * @throws PtcError `PROTOCOL_VIOLATION` for a line that begins as a frame and is not a right one.
 */
export function decodeLine(
  line: Buffer,
  stream: OutputStream,
  calls: CallLimits = DEFAULT_CALL_LIMITS,
): DecodedLine {
  if (!isUtf8(line)) throw violation('a line is not UTF-8', stream);
  const text = line.toString('utf8');
  const frame = RUNNER_FRAMES.find(({ open }) => text.startsWith(open));
  if (frame === undefined) return { kind: 'noise', text };
  if (frame.stream !== stream) throw violation(`${nameOf(frame)} came on ${stream}`, stream);
  if (!text.endsWith(frame.close)) throw violation(`${nameOf(frame)} has no end`, stream);
  const maxBytes = isLimitedAsCall(frame) ? calls.bytes : MAX_REPORT_BYTES;
  if (line.length > maxBytes) {
    throw violation(`${nameOf(frame)} has more than ${maxBytes} bytes`, stream);
  }
  return parseBody(text.slice(frame.open.length, -frame.close.length), frame, stream, calls);
}

function parseBody(
  json: string,
  frame: RunnerFrame,
  stream: OutputStream,
  calls: CallLimits,
): RunnerMessage {
  const maxValues = isLimitedAsCall(frame) ? calls.values + CALL_FIELDS : MAX_REPORT_VALUES;
  const { excess, inexactNumber } = shapeOfFrame(json, maxValues);
  if (excess !== undefined) throw violation(`${nameOf(frame)} ${excess}`, stream);
  let body: RunnerMessage;
  try {
    body = JSON.parse(json);
  } catch (cause) {
    throw violation(`${nameOf(frame)} is not JSON: ${messageOf(cause)}`, stream, cause);
  }
  if (typeof body !== 'object' || body === null) {
    throw violation(`${nameOf(frame)} is not a JSON object`, stream);
  }
  const badField = findBadField(frame.kind, body);
  if (badField !== undefined) {
    throw violation(`${badField} of ${nameOf(frame)} is missing or wrong`, stream);
  }
  const message: RunnerMessage = Object.assign(body, { kind: frame.kind });
  if (message.kind === 'tool-call') return readCall(message, inexactNumber);
  return message.kind === 'value' ? readValue(message, inexactNumber, stream) : message;
}

function isLimitedAsCall({ kind }: RunnerFrame): boolean {
  return kind === 'tool-call' || kind === 'value';
}

function nameOf({ kind }: RunnerFrame): string {
  return `${/^[ao]/.test(kind) ? 'an' : 'a'} ${kind} frame`;
}

/** A call whose arguments would not arrive as they were sent is refused, and nothing else ends. */
function readCall(message: ToolCallMessage, inexactNumber: string | undefined): ToolCallMessage {
  const { execution_id, call_id, tool_name } = message;
  const call = { kind: 'tool-call', execution_id, call_id, tool_name } as const;
  if (inexactNumber !== undefined) {
    const refusal = `the number ${inexactNumber.slice(0, 40)} is too large to arrive exactly; send it as text`;
    return { ...call, arguments: {}, refusal };
  }
  const bare = toBareJson(message.arguments);
  return bare.ok
    ? { ...call, arguments: bare.value }
    : { ...call, arguments: {}, refusal: bare.reason };
}

/** Our guests send no value that would not arrive as it was sent: they say so to the program. */
function readValue(
  message: ValueMessage,
  inexactNumber: string | undefined,
  stream: OutputStream,
): ValueMessage {
  const bare = toBareJson(message.value);
  if (inexactNumber !== undefined || !bare.ok) {
    throw violation('a value frame has what does not arrive as it was sent', stream);
  }
  return { ...message, value: bare.value };
}

const NOTHING = Buffer.alloc(0);

/** Cuts a byte stream, split anywhere, into lines, and bounds a line's size before it is read. */
export class LineSplitter {
  maxLineBytes: number;
  /** The line so far is its front; where it came in pieces, it is a buffer that grows by doubling. */
  #line: Buffer = NOTHING;
  #bytes = 0;

  constructor(maxLineBytes: number) {
    this.maxLineBytes = maxLineBytes;
  }

  /**
   * Takes the next bytes and gives the lines that they complete, without their newlines.
   * @throws PtcError `PROTOCOL_VIOLATION` as soon as a line is too long, complete or not.
   */
  *push(chunk: Buffer): Generator<Buffer, void> {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(0x0a, start);
      const end = newline === -1 ? chunk.length : newline;
      this.#add(chunk.subarray(start, end));
      if (newline === -1) return;
      yield this.takeRest();
      start = newline + 1;
    }
  }

  /** Takes what came after the last newline. */
  takeRest(): Buffer {
    const rest = this.#bytes < this.#line.length ? this.#line.subarray(0, this.#bytes) : this.#line;
    this.#line = NOTHING;
    this.#bytes = 0;
    return rest;
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    const before = this.#bytes;
    this.#bytes += part.length;
    if (this.#bytes > this.maxLineBytes) {
      this.#line = NOTHING;
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        `The sandbox sent a frame of more than ${this.maxLineBytes} bytes.`,
        { details: { limitBytes: this.maxLineBytes } },
      );
    }
    if (before === 0) {
      this.#line = part;
      return;
    }
    // Copied, since a list of tiny pieces would take a hundred times the memory of their bytes.
    if (this.#bytes > this.#line.length) this.#grow(before);
    part.copy(this.#line, before);
  }

  #grow(filled: number): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#bytes * 2, this.maxLineBytes));
    this.#line.copy(grown, 0, 0, filled);
    this.#line = grown;
  }
}

function violation(what: string, stream: OutputStream, cause?: unknown): PtcError {
  return new PtcError('PROTOCOL_VIOLATION', `The sandbox broke the protocol: ${what}.`, {
    details: { stream },
    cause,
  });
}
