import picocolors from 'picocolors';
import { escapeControls } from '../../shared/control-characters.ts';
import { escapeJsonControls } from '../../shared/json/json-escapes.ts';

export type Colors = ReturnType<typeof picocolors.createColors>;

/** The properties of a stream that determine how text is written to it. */
export interface Target {
  readonly isTTY?: boolean | undefined;
}

/** Colours for a stream: if NO_COLOR and FORCE_COLOR do not decide, only for a terminal. */
export function colorsFor(stream: Target, environment: NodeJS.ProcessEnv = process.env): Colors {
  const { NO_COLOR: refused, FORCE_COLOR: forced, TERM: terminal } = environment;
  const wanted = forced ? forced !== '0' : stream.isTTY === true && terminal !== 'dumb';
  return picocolors.createColors(wanted && !refused);
}

/** Program output for a stream: unchanged for a file or a pipe, escaped for a terminal. */
export function outputFor(stream: Target, text: string): string {
  return stream.isTTY === true ? escapeControls(text) : text;
}

/** A value as one line of JSON for a stream. For a terminal, control characters are escaped. */
export function jsonFor(stream: Target, value: unknown): string {
  const json = JSON.stringify(value);
  return stream.isTTY === true ? escapeJsonControls(json) : json;
}
