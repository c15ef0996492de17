import picocolors from 'picocolors';

export type Colors = ReturnType<typeof picocolors.createColors>;

/** What of a stream decides how text is written to it. */
export interface Target {
  readonly isTTY?: boolean | undefined;
}

/** Colours for a stream: none where it is no terminal, or where NO_COLOR is set. */
export function colorsFor(stream: Target, environment: NodeJS.ProcessEnv = process.env): Colors {
  const { NO_COLOR: refused, TERM: terminal } = environment;
  return picocolors.createColors(stream.isTTY === true && !refused && terminal !== 'dumb');
}

/**
 * Text of the sandbox or the model as a terminal may see it: control characters, which could move
 * the cursor, set the title or rewrite what was shown, and those that turn the direction of text
 * are spelled out. Line ends and tabs stay.
 */
export function escapeControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, spellOut);
}

function spellOut(character: string): string {
  if (character === '\n' || character === '\t') return character;
  if (character === '\r') return String.raw`\r`;
  const code = character.charCodeAt(0);
  return code < 0x1_00
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Program output for a stream: as it is for a file or a pipe, escaped for a terminal. */
export function outputFor(stream: Target, text: string): string {
  return stream.isTTY === true ? escapeControls(text) : text;
}
