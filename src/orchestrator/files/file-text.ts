import { escapeLine } from '../../shared/control-characters.ts';
import { INPUTS_DIRECTORY, type InputFile } from './input-file.ts';
import { isText } from './is-text.ts';

/** Of a text, the model is told so many lines, each cut after so many characters. */
const SHOWN_LINES = 10;
const SHOWN_LINE_LENGTH = 200;

/** How much of a file is looked at for them. */
const SHOWN_BYTES = 65_536;

/** Precedes each line of the file, so that none can look like words of the user or of this package. */
const MARK = '| ';

const LEFT_OUT = '[…]';

/** What the model is told of a file: where it is, its size and media type, and of a text its first lines. */
export function fileText(file: InputFile, bytes: Uint8Array): string {
  const { mediaType, sizeBytes } = file;
  const about = `[The user gives a file. Programs find it at ${shownPath(file)}: ${sizeBytes} bytes, ${mediaType}.`;
  const lines = isText(mediaType) ? firstLines(bytes) : undefined;
  if (lines === undefined) return `${about}]`;
  const shown = lines.map((line) => `\n${MARK}${line}`);
  return `${about} It begins with these lines, each after "${MARK.trim()}":]${shown.join('')}`;
}

/** Names the files of a conversation whose messages were summed up; empty if there are none. */
export function filesNote(files: readonly InputFile[]): string {
  if (files.length === 0) return '';
  const list = files.map(
    (file) => `${shownPath(file)} (${file.sizeBytes} bytes, ${file.mediaType})`,
  );
  return `Programs find these files of the user: ${list.join(', ')}`;
}

/** The path of a file for programs, in quotes, because names may have spaces and quotes. */
export function shownPath({ name }: Pick<InputFile, 'name'>): string {
  return JSON.stringify(`${INPUTS_DIRECTORY}/${name}`);
}

/** Undefined for what is empty or not UTF-8. */
function firstLines(bytes: Uint8Array): readonly string[] | undefined {
  const start = bytes.subarray(0, SHOWN_BYTES);
  const isWhole = start.length === bytes.length;
  let text: string;
  try {
    // The start may end within a character.
    text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: !isWhole });
  } catch {
    return undefined;
  }
  if (text.trim() === '') return undefined;
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const shown = lines.slice(0, SHOWN_LINES).map(shownLine);
  return isWhole && lines.length <= SHOWN_LINES ? shown : [...shown, LEFT_OUT];
}

function shownLine(line: string): string {
  const cut = line.slice(0, SHOWN_LINE_LENGTH).toWellFormed();
  return `${escapeLine(cut)}${cut.length < line.length ? LEFT_OUT : ''}`;
}
