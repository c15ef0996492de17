/**
 * The frames of the wire protocol. A frame is one line: opening marker, JSON, closing marker,
 * newline. The bytes of files precede their frame as they are, in the same line: marker, their number
 * in six digits, the bytes.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Frames of the host that the supervisor reads. Tool results go to the guest without being parsed.
export const TOOL_RESULT = marker('__PTC_TOOL_RESULT__', '__PTC_END_RESULT__');
export const CONFIGURE = marker('__PTC_CONFIGURE__', '__PTC_END_CONFIGURE__');
export const EXECUTE = marker('__PTC_EXECUTE__', '__PTC_END_EXECUTE__');
export const CANCEL = marker('__PTC_CANCEL__', '__PTC_END_CANCEL__');
export const EXTEND = marker('__PTC_EXTEND__', '__PTC_END_EXTEND__');
export const FILE_REQUEST = marker('__PTC_FILE_REQUEST__', '__PTC_END_FILE_REQUEST__');
export const FILE_CANCEL = marker('__PTC_FILE_CANCEL__', '__PTC_END_FILE_CANCEL__');
export const EXIT = marker('__PTC_EXIT__', '__PTC_END_EXIT__');

// Frames of the runner: tool calls, and what follows them, on stderr, all others on stdout.
export const READY = marker('__PTC_READY__', '__PTC_END_READY__');
export const CONFIGURED = marker('__PTC_CONFIGURED__', '__PTC_END_CONFIGURED__');
const TOOL_CALL = marker('__PTC_TOOL_CALL__', '__PTC_END_CALL__');
const CALL_GIVEN_UP = marker('__PTC_CALL_GIVEN_UP__', '__PTC_END_CALL_GIVEN_UP__');
const WAITING = marker('__PTC_WAITING__', '__PTC_END_WAITING__');
export const OUTPUT_DELTA = marker('__PTC_OUTPUT_DELTA__', '__PTC_END_OUTPUT_DELTA__');
const IMAGE = marker('__PTC_IMAGE__', '__PTC_END_IMAGE__');
const REPORT = marker('__PTC_REPORT__', '__PTC_END_REPORT__');
export const VALUE = marker('__PTC_VALUE__', '__PTC_END_VALUE__');
export const OUTCOME = marker('__PTC_OUTPUT__', '__PTC_END_OUTPUT__');
export const FILE_ANSWER = marker('__PTC_FILE_ANSWER__', '__PTC_END_FILE_ANSWER__');

/** What goes to the host on standard error. */
export const OF_CALLS = [TOOL_CALL, CALL_GIVEN_UP, WAITING];
/** What goes to the host on standard output while a program runs, between its output. */
export const WITH_OUTPUT = [IMAGE, REPORT];

export const PROTOCOL_VERSION = 1;

const NEWLINE = 0x0a;
const ZERO = 0x30;
const DATA = encoder.encode('__PTC_DATA__');
/** How many bytes of a line say where its data ends. */
export const DATA_HEAD_LENGTH = DATA.length + 6;

/** Returns the line with `body`, including its newline. */
export function encode({ open, close }, body) {
  return encoder.encode(`${open}${JSON.stringify(body)}${close}\n`);
}

/** Whether `line` is one line between the two markers. Checks only its ends and its newlines. */
export function isFrame(line, { start, end }) {
  return (
    matchesAt(line, start, 0) &&
    matchesAt(line, end, line.length - end.length) &&
    line.indexOf(NEWLINE) === line.length - 1
  );
}

/** Returns the body of a line for which `isFrame` is true. */
export function decodeBody(line, { start, end }) {
  return JSON.parse(decoder.decode(line.subarray(start.length, line.length - end.length)));
}

/**
 * Where the data in front of a line ends; 0 if there is none. The line may have more bytes than
 * these, or not all of them yet.
 */
export function endOfData(line) {
  if (line.length < DATA_HEAD_LENGTH || !matchesAt(line, DATA, 0)) return 0;
  let size = 0;
  for (const byte of line.subarray(DATA.length, DATA_HEAD_LENGTH)) {
    const digit = byte - ZERO;
    if (digit < 0 || digit > 9) return 0;
    size = size * 10 + digit;
  }
  return DATA_HEAD_LENGTH + size;
}

/** Returns the frame in a line that may begin with data. */
export function frameIn(line) {
  const end = endOfData(line);
  return end === 0 ? line : line.subarray(end);
}

/** The ends of a line. They are encoded once, because each line is compared with several. */
function marker(open, close) {
  return { open, close, start: encoder.encode(open), end: encoder.encode(`${close}\n`) };
}

function matchesAt(line, bytes, offset) {
  if (offset < 0 || offset + bytes.length > line.length) return false;
  for (let index = 0; index < bytes.length; index += 1) {
    if (line[offset + index] !== bytes[index]) return false;
  }
  return true;
}
