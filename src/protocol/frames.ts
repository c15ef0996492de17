import { isUtf8 } from 'node:buffer';
import { toBareJson } from '../shared/json/bare-json.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import { shapeOfFrame } from './frame-shape.ts';
import { findBadField } from './guards.ts';
import type { HostMessage, OutputStream, RunnerMessage } from './messages.ts';
import { dataOf, endOfData, headOfData } from './line-data.ts';
import type { ToolCallMessage } from './call-messages.ts';
import type { ToolStub, ValueMessage } from './messages.ts';

/**
 * A frame is one line: opening marker, JSON, closing marker, newline. JSON escapes newlines, so a
 * line is a frame, and a payload can contain any text, even a marker. The bytes of files precede
 * their frame as they are (`line-data.ts`).
 */

/**
 * The largest frame on standard output except for a value, in bytes. Reading one blocks the host
 * for up to 10 ms per MiB. The largest frame of our runner contains a program's last value, of
 * 262,144 characters, each escaped in at most 12 bytes, and its error.
 */
export const MAX_REPORT_BYTES: number = 4 * 1024 * 1024;

/** Limits of a tool call, or of a program's value, as it leaves the sandbox. */
export interface CallLimits {
  /**
   * The size of the frame in bytes: the arguments or the value as JSON, the name of the tool, and
   * about a hundred bytes more.
   */
  readonly bytes: number;
  /** How many values the arguments or the value contain: numbers, texts, lists and objects. */
  readonly values: number;
}

/**
 * A call within these limits blocks the host for less than 50 ms, whatever it contains. Distinct
 * keys take longest: reading 20,000 of them takes about 20 ms, and 100,000 of them 150 ms.
 */
export const DEFAULT_CALL_LIMITS: CallLimits = { bytes: 1024 * 1024, values: 20_000 };

/**
 * The values of a call's frame in addition to its arguments. Other frames have fewer than a hundred
 * values.
 */
const CALL_FIELDS = 4;
const MAX_REPORT_VALUES = 100;

/**
 * How many bytes of a file one frame has. A frame of more would hold up the results of tools behind
 * it.
 */
export const FILE_PIECE_BYTES: number = 256 * 1024;
/**
 * Ends what an earlier host may have left of a line, and of data in front of it. No frame follows
 * the data then, so the runner ignores it.
 */
export const END_OF_UNFINISHED_LINE: string = `${' '.repeat(FILE_PIECE_BYTES)}\n`;
/** A list of a thousand entries with five values each; a piece of a file has fewer bytes. */
const MAX_FILE_ANSWER: CallLimits = { bytes: 1024 * 1024, values: 6000 };

const HOST_MARKERS: Record<HostMessage['kind'], readonly [string, string]> = {
  configure: ['__PTC_CONFIGURE__', '__PTC_END_CONFIGURE__'],
  execute: ['__PTC_EXECUTE__', '__PTC_END_EXECUTE__'],
  'tool-result': ['__PTC_TOOL_RESULT__', '__PTC_END_RESULT__'],
  cancel: ['__PTC_CANCEL__', '__PTC_END_CANCEL__'],
  extend: ['__PTC_EXTEND__', '__PTC_END_EXTEND__'],
  'file-request': ['__PTC_FILE_REQUEST__', '__PTC_END_FILE_REQUEST__'],
  'file-cancel': ['__PTC_FILE_CANCEL__', '__PTC_END_FILE_CANCEL__'],
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
  { kind: 'waiting', stream: 'stderr', open: '__PTC_WAITING__', close: '__PTC_END_WAITING__' },
  {
    kind: 'output-delta',
    stream: 'stdout',
    open: '__PTC_OUTPUT_DELTA__',
    close: '__PTC_END_OUTPUT_DELTA__',
  },
  { kind: 'image', stream: 'stdout', open: '__PTC_IMAGE__', close: '__PTC_END_IMAGE__' },
  {
    kind: 'report',
    stream: 'stdout',
    open: '__PTC_REPORT__',
    close: '__PTC_END_REPORT__',
  },
  { kind: 'value', stream: 'stdout', open: '__PTC_VALUE__', close: '__PTC_END_VALUE__' },
  { kind: 'outcome', stream: 'stdout', open: '__PTC_OUTPUT__', close: '__PTC_END_OUTPUT__' },
  { kind: 'ready', stream: 'stdout', open: '__PTC_READY__', close: '__PTC_END_READY__' },
  {
    kind: 'configured',
    stream: 'stdout',
    open: '__PTC_CONFIGURED__',
    close: '__PTC_END_CONFIGURED__',
  },
  { kind: 'attached', stream: 'stdout', open: '__PTC_ATTACHED__', close: '__PTC_END_ATTACHED__' },
  {
    kind: 'file-answer',
    stream: 'stdout',
    open: '__PTC_FILE_ANSWER__',
    close: '__PTC_END_FILE_ANSWER__',
  },
];

/** Less data is copied into its line: several parts take longer to write. */
const COPIED_BYTES = 16 * 1024;

/** The line of a message to the runner, with its newline, in parts. Much data is not copied. */
export function encodeFrame(message: HostMessage): readonly Uint8Array[] {
  if (!('data' in message)) return [frameOf(message)];
  const { data, ...others } = message;
  const parts = [Buffer.from(headOfData(data.length)), data, frameOf(others)];
  return data.length > COPIED_BYTES ? parts : [Buffer.concat(parts)];
}

function frameOf(message: WithoutData): Buffer {
  const [open, close] = HOST_MARKERS[message.kind];
  return Buffer.from(`${open}${encodeBody(message)}${close}\n`);
}

/** A message whose data, if it has some, is not in its frame. */
type WithoutData = Exclude<HostMessage, { kind: 'file-request' }> | { kind: 'file-request' };

function encodeBody(message: WithoutData): string {
  if (message.kind === 'tool-result') {
    const callId = JSON.stringify(message.call_id);
    const error = JSON.stringify(message.error);
    return `{"call_id":${callId},"error":${error},"result":${message.result.text}}`;
  }
  if (message.kind === 'configure') {
    const { kind: _configure, tools, ...settings } = message;
    return `${JSON.stringify(settings).slice(0, -1)},"tools":${textOfTools(tools)}}`;
  }
  const { kind: _kind, ...body } = message;
  return JSON.stringify(body);
}

/** Kept, because each new sandbox gets the same ones, and there may be thousands. */
const textsOfTools = new WeakMap<readonly ToolStub[], string>();

function textOfTools(tools: readonly ToolStub[]): string {
  const text = textsOfTools.get(tools) ?? JSON.stringify(tools);
  textsOfTools.set(tools, text);
  return text;
}

/** A line of a runner's output: a message, or text that is not a frame. */
export type DecodedLine = RunnerMessage | { readonly kind: 'noise'; readonly text: string };

/**
 * Decodes one line.
 * @param stream - The stream of the line: each kind of frame belongs to one stream.
 * @param calls - The limits of a tool call.
 * @throws PtcError `PROTOCOL_VIOLATION` for a line that begins like a frame but is not a valid one.
 */
export function decodeLine(
  line: Buffer,
  stream: OutputStream,
  calls: CallLimits = DEFAULT_CALL_LIMITS,
): DecodedLine {
  const dataEnd = endOfData(line);
  if (dataEnd > 0) return decodeWithData(line, dataEnd, stream, calls);
  return decodeText(line, stream, calls);
}

/** Decodes a line that begins with data. Only answers about files have some. */
function decodeWithData(
  line: Buffer,
  dataEnd: number,
  stream: OutputStream,
  calls: CallLimits,
): RunnerMessage {
  const message = decodeText(line.subarray(dataEnd), stream, calls);
  if (message.kind !== 'file-answer' || dataEnd > line.length) {
    throw violation('a line begins with data that belongs to no answer about a file', stream);
  }
  return { ...message, data: dataOf(line, dataEnd) };
}

function decodeText(line: Buffer, stream: OutputStream, calls: CallLimits): DecodedLine {
  const text = line.toString('utf8');
  const frame = RUNNER_FRAMES.find(({ open }) => text.startsWith(open));
  // Any bytes: a stream that was attached late may begin within those of a file.
  if (frame === undefined) return { kind: 'noise', text };
  if (!isUtf8(line)) throw violation(`${nameOf(frame)} is not UTF-8`, stream);
  if (frame.stream !== stream) throw violation(`${nameOf(frame)} was sent on ${stream}`, stream);
  if (!text.endsWith(frame.close))
    throw violation(`${nameOf(frame)} has no closing marker`, stream);
  const { bytes, values } = limitsOf(frame, calls);
  if (line.length > bytes) {
    throw violation(`${nameOf(frame)} has more than ${bytes} bytes`, stream);
  }
  return parseBody(text.slice(frame.open.length, -frame.close.length), frame, stream, values);
}

function limitsOf({ kind }: RunnerFrame, calls: CallLimits): CallLimits {
  if (kind === 'tool-call' || kind === 'value' || kind === 'image') {
    return { bytes: calls.bytes, values: calls.values + CALL_FIELDS };
  }
  if (kind === 'file-answer') return MAX_FILE_ANSWER;
  return { bytes: MAX_REPORT_BYTES, values: MAX_REPORT_VALUES };
}

function parseBody(
  json: string,
  frame: RunnerFrame,
  stream: OutputStream,
  maxValues: number,
): RunnerMessage {
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
    throw violation(
      `the field ${badField} of ${nameOf(frame)} is missing or has a wrong type`,
      stream,
    );
  }
  const message: RunnerMessage = Object.assign(body, { kind: frame.kind });
  if (message.kind === 'tool-call') return readCall(message, inexactNumber);
  if (message.kind === 'file-answer') return { ...message, data: null };
  return message.kind === 'value' ? readValue(message, inexactNumber, stream) : message;
}

function nameOf({ kind }: RunnerFrame): string {
  return `${/^[aio]/.test(kind) ? 'an' : 'a'} ${kind} frame`;
}

/** A call whose arguments would arrive changed is refused. Nothing else ends. */
function readCall(message: ToolCallMessage, inexactNumber: string | undefined): ToolCallMessage {
  const { execution_id, call_id, tool_name, line } = message;
  const ids = { kind: 'tool-call', execution_id, call_id, tool_name } as const;
  const call = line === undefined ? ids : { ...ids, line };
  if (inexactNumber !== undefined) {
    const refusal = `the number ${inexactNumber.slice(0, 40)} is too large to arrive exactly; send it as text`;
    return { ...call, arguments: {}, refusal };
  }
  const bare = toBareJson(message.arguments);
  return bare.ok
    ? { ...call, arguments: bare.value }
    : { ...call, arguments: {}, refusal: bare.reason };
}

/**
 * Our guests never send a value that would arrive changed: they throw an error in the program
 * instead.
 */
function readValue(
  message: ValueMessage,
  inexactNumber: string | undefined,
  stream: OutputStream,
): ValueMessage {
  const bare = toBareJson(message.value);
  if (inexactNumber !== undefined || !bare.ok) {
    throw violation(
      'a value frame contains a number, text or key that would arrive changed',
      stream,
    );
  }
  return { ...message, value: bare.value };
}

function violation(what: string, stream: OutputStream, cause?: unknown): PtcError {
  return new PtcError('PROTOCOL_VIOLATION', `The sandbox broke the protocol: ${what}.`, {
    details: { stream },
    cause,
  });
}
