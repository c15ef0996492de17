import { escapeControls } from '../shared/control-characters.ts';

/** A longer text is cut: the model reads all of it. */
const MAXIMUM_TEXT = 10_000;

/** A text of a source, cut to a limit, and with escapes for invisible and control characters. */
export function boundedText(text: string): string {
  const cut = text.length > MAXIMUM_TEXT ? `${text.slice(0, MAXIMUM_TEXT)}…` : text;
  return escapeControls(cut.toWellFormed());
}
