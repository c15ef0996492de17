/** How long a text is. */
export interface TextSize {
  /** In UTF-8. */
  readonly bytes: number;
  /** How many lines end in it. */
  readonly lines: number;
}

/** A text without its middle. */
export interface CutText {
  readonly start: string;
  readonly end: string;
  /** Its last line counts also if it does not end; the line of a text with only one does not. */
  readonly whole: TextSize;
  readonly leftOut: TextSize;
}

/** Whether a text has at most so many bytes in UTF-8. */
export function fits(text: string, maxBytes: number): boolean {
  // A UTF-16 unit takes one to three bytes.
  if (text.length * 3 <= maxBytes) return true;
  return text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes;
}

/** Reduces a text to its start and its end, of at most so many bytes together. Splits no character. */
export function cutText(text: string, maxBytes: number): CutText {
  const bytes = Buffer.from(text);
  const half = Math.max(0, Math.floor(maxBytes / 2));
  let from = Math.min(half, bytes.length);
  while (isInsideCharacter(bytes[from])) from -= 1;
  let to = Math.max(from, bytes.length - half);
  while (isInsideCharacter(bytes[to])) to += 1;
  return {
    start: bytes.toString('utf8', 0, from),
    end: bytes.toString('utf8', to),
    whole: { bytes: bytes.length, lines: countAllLines(bytes) },
    leftOut: { bytes: to - from, lines: countLines(bytes.subarray(from, to)) },
  };
}

/** The line that stands for the middle of a text. */
export function omissionLine({ leftOut }: CutText): string {
  return `[… ${showSize(leftOut)} left out here …]`;
}

/** A text of at most so many bytes, and a line that says how much was left out. */
export function shortened(text: string, maxBytes: number): string {
  if (fits(text, maxBytes)) return text.toWellFormed();
  const cut = cutText(text, maxBytes);
  return `${cut.start}\n${omissionLine(cut)}\n${cut.end}`;
}

/** A size for models, such as `12,345 bytes (67 lines)`. */
export function showSize({ bytes, lines }: TextSize): string {
  const size = showCount(bytes, 'byte');
  return lines === 0 ? size : `${size} (${showCount(lines, 'line')})`;
}

function showCount(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** As whoever reads the file with the text counts them: the line end after the last line may be trimmed. */
function countAllLines(bytes: Uint8Array): number {
  const lines = countLines(bytes);
  return lines > 0 && bytes.at(-1) !== 0x0a ? lines + 1 : lines;
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === 0x0a) lines += 1;
  return lines;
}
