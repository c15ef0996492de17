/**
 * The frames of the wire protocol. A frame is one line: opening marker, JSON, closing marker,
 * newline. The bytes of files precede their frame as they are, in the same line: marker, their number
 * in six digits, the bytes.
 */

// Frames of the host that the supervisor reads. Tool results go to the guest without being parsed.
export const CONFIGURE = ['__PTC_CONFIGURE__', '__PTC_END_CONFIGURE__'];
export const EXECUTE = ['__PTC_EXECUTE__', '__PTC_END_EXECUTE__'];
export const CANCEL = ['__PTC_CANCEL__', '__PTC_END_CANCEL__'];
export const EXTEND = ['__PTC_EXTEND__', '__PTC_END_EXTEND__'];
export const FILE_REQUEST = ['__PTC_FILE_REQUEST__', '__PTC_END_FILE_REQUEST__'];
export const FILE_CANCEL = ['__PTC_FILE_CANCEL__', '__PTC_END_FILE_CANCEL__'];
export const EXIT = ['__PTC_EXIT__', '__PTC_END_EXIT__'];

// Frames of the runner: tool calls on stderr, all others on stdout.
export const READY = ['__PTC_READY__', '__PTC_END_READY__'];
export const CONFIGURED = ['__PTC_CONFIGURED__', '__PTC_END_CONFIGURED__'];
export const TOOL_CALL = ['__PTC_TOOL_CALL__', '__PTC_END_CALL__'];
export const CALL_GIVEN_UP = ['__PTC_CALL_GIVEN_UP__', '__PTC_END_CALL_GIVEN_UP__'];
export const OUTPUT_DELTA = ['__PTC_OUTPUT_DELTA__', '__PTC_END_OUTPUT_DELTA__'];
export const IMAGE = ['__PTC_IMAGE__', '__PTC_END_IMAGE__'];
export const VALUE = ['__PTC_VALUE__', '__PTC_END_VALUE__'];
export const OUTCOME = ['__PTC_OUTPUT__', '__PTC_END_OUTPUT__'];
export const FILE_ANSWER = ['__PTC_FILE_ANSWER__', '__PTC_END_FILE_ANSWER__'];

export const PROTOCOL_VERSION = 1;

const NEWLINE = 0x0a;
const ZERO = 0x30;
const encoder = new TextEncoder();
const DATA = encoder.encode('__PTC_DATA__');
/** How many bytes of a line say where its data ends. */
export const DATA_HEAD_LENGTH = DATA.length + 6;
const decoder = new TextDecoder();

/** Returns the line with `body`, including its newline. */
export function encode([open, close], body) {
  return encoder.encode(`${open}${JSON.stringify(body)}${close}\n`);
}

/** Whether `line` is one line between the two markers. Checks only its ends and its newlines. */
export function isFrame(line, [open, close]) {
  return (
    matchesAt(line, encoder.encode(open), 0) &&
    matchesAt(line, encoder.encode(`${close}\n`), line.length - close.length - 1) &&
    line.indexOf(NEWLINE) === line.length - 1
  );
}

/** Returns the body of a line for which `isFrame` is true. */
export function decodeBody(line, [open, close]) {
  return JSON.parse(decoder.decode(line.subarray(open.length, line.length - close.length - 1)));
}

/**
 * Where the data in front of a line ends; 0 if there is none. The line may have more bytes than
 * these, or not all of them yet.
 */
export function endOfData(line) {
  if (line.length < DATA_HEAD_LENGTH || !DATA.every((byte, index) => line[index] === byte))
    return 0;
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
  return line.subarray(endOfData(line));
}

function matchesAt(line, text, offset) {
  return offset >= 0 && text.every((byte, index) => line[offset + index] === byte);
}
