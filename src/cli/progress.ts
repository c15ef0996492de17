import { escapeControls } from '../shared/control-characters.ts';
import { colorsFor } from './terminal/terminal.ts';

/** Shows what takes long. It uses standard error, so that it never mixes with results. */
export function showProgress(message: string): void {
  process.stderr.write(`${colorsFor(process.stderr).dim(escapeControls(message))}\n`);
}
