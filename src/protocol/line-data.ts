/**
 * Bytes of a file before a frame: marker, their number in six digits, the bytes, and then the frame.
 * All of it is one line, although the bytes can contain newlines: whoever splits a stream into lines
 * skips them. So they are neither encoded nor searched.
 */

const MARKER = '__PTC_DATA__';
const DIGITS = 6;
/** The length of what precedes the bytes. */
export const DATA_HEAD_LENGTH: number = MARKER.length + DIGITS;
/** No other frame has this character in this place. */
const DISTINCT_INDEX = 6;
const DISTINCT = MARKER.charCodeAt(DISTINCT_INDEX);
const ZERO = 0x30;

/** What precedes so many bytes. */
export function headOfData(bytes: number): string {
  return `${MARKER}${String(bytes).padStart(DIGITS, '0')}`;
}

/**
 * Where the data in front of a line ends; 0 if there is none. The line may have more bytes than
 * these, or not all of them yet.
 */
export function endOfData(line: Buffer): number {
  if (line.length < DATA_HEAD_LENGTH || line[DISTINCT_INDEX] !== DISTINCT) return 0;
  if (line.toString('latin1', 0, MARKER.length) !== MARKER) return 0;
  let bytes = 0;
  for (let index = MARKER.length; index < DATA_HEAD_LENGTH; index += 1) {
    const digit = (line[index] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return 0;
    bytes = bytes * 10 + digit;
  }
  return DATA_HEAD_LENGTH + bytes;
}

/** The data in front of a line, by where it ends. */
export function dataOf(line: Buffer, end: number): Buffer {
  return line.subarray(DATA_HEAD_LENGTH, end);
}
