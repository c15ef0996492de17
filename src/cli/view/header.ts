import { escapeLine } from '../../shared/control-characters.ts';
import { colorsFor } from '../terminal/terminal.ts';
import { wrap } from './format.ts';

const INDENT = 'Sandbox: '.length;

/**
 * A line with a label and a value, such as the model of a command. It is wrapped if the terminal is
 * narrow.
 */
export function headerLine(label: string, value: string): string {
  const { dim } = colorsFor(process.stdout);
  const wrapped = wrap(escapeLine(value), process.stdout.columns || Infinity, INDENT);
  return `${dim(`${label}:`)}${' '.repeat(INDENT - label.length - 1)}${wrapped}\n`;
}
