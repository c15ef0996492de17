import { escapeLine } from '../../shared/control-characters.ts';
import { escapeJsonControls } from '../../shared/json/json-escapes.ts';
import type { ApprovalBatch, BatchGrant } from '../../tools/policy/batches/approval-batch.ts';
import type { Colors } from '../terminal/terminal.ts';
import { countColumns, fitColumns } from '../view/columns.ts';
import { formatCount } from '../view/format.ts';
import { Sections } from '../view/sections.ts';
import type { Edits } from './choice.ts';

/** The narrowest column for arguments. */
const LEAST_WIDTH = 20;
/** The most characters of the arguments of one call. */
const MOST_CHARACTERS = 10_000;
/** The most characters of an argument that a grant names. */
const MOST_FIELD_CHARACTERS = 200;

/**
 * A batch as a table of its calls. What comes from a program is escaped, and cut to one row. The
 * arguments that were cut follow the table, because a person approves all of them.
 */
export function batchTable(
  batch: ApprovalBatch,
  edits: Edits,
  { columns, colors }: { readonly columns: number; readonly colors: Colors },
): string {
  const { requests } = batch;
  const rows = requests.map(({ id, number, toolName, arguments: sent, line }) => ({
    number: `${number}${edits.has(id) ? '*' : ''}`,
    tool: escapeLine(toolName),
    sent: escapeJsonControls(JSON.stringify(edits.has(id) ? edits.get(id) : sent)),
    line: line === undefined ? '' : String(line),
  }));
  const heading = { number: '#', tool: 'tool', sent: 'arguments', line: 'line' };
  const widest = (name: keyof typeof heading, most = Infinity): number =>
    Math.min(most, Math.max(...[heading, ...rows].map((row) => countColumns(row[name], most))));
  const [numberWidth, toolWidth, lineWidth] = [widest('number'), widest('tool'), widest('line')];
  const room = Math.max(LEAST_WIDTH, columns - numberWidth - toolWidth - lineWidth - 8);
  const sentWidth = widest('sent', room);
  const rowOf = ({ number, tool, sent, line }: typeof heading): string =>
    `  ${number.padStart(numberWidth)}  ${fitColumns(tool, toolWidth)}  ${fitColumns(sent, sentWidth)}  ${line}`.trimEnd();
  const table = [colors.dim(rowOf(heading)), ...rows.map(rowOf)].join('\n');
  const cut = rows.filter(({ sent }) => countColumns(sent, sentWidth) > sentWidth);
  return `${table}\n${allArguments(cut, columns, colors)}`;
}

/** The arguments of each call in a block, whose bar a program cannot write. */
function allArguments(
  calls: readonly { readonly number: string; readonly sent: string }[],
  columns: number,
  colors: Colors,
): string {
  let written = '';
  const write = (text: string): void => {
    written += text;
  };
  const sections = new Sections({ write, colors, columns: () => columns });
  for (const { number, sent } of calls) {
    const shown = wholeCharacters(sent.slice(0, MOST_CHARACTERS));
    sections.block(`arguments of call ${number}`, shown);
    const more = sent.length - shown.length;
    if (more > 0) {
      const rest = `${formatCount(more)} more characters are not shown.`;
      sections.line(colors.yellow(`  ${rest} Type e ${number.replace('*', '')} to see them.`));
    }
  }
  sections.end();
  return written;
}

/** What a person is asked, and what can be typed. */
export function questionOf(batch: ApprovalBatch): string {
  const { requests } = batch;
  const reasons = [...new Set(requests.flatMap(({ reason }) => reason ?? []))];
  const why = reasons.length === 0 ? '' : `: ${reasons.map(escapeLine).join('; ')}`;
  const calls = requests.length === 1 ? 'one call' : `${requests.length} calls`;
  return `The program waits for your decision about ${calls}${why}`;
}

/** The choices, in one line each. */
export function choicesOf({ requests, proposals }: ApprovalBatch): string {
  const only = requests.length === 1 ? '' : '   1 3-5: approve only these';
  const first = `  y: approve   n: reject${only}   e 1: edit the arguments of a call`;
  const grants = proposals.map(
    (grant, index) =>
      `  a${index === 0 ? '' : ` ${index + 1}`}: approve, and ${describeGrant(grant)}`,
  );
  return [first, ...grants].join('\n');
}

function describeGrant({ toolName, calls, fields }: BatchGrant): string {
  const like = fields === undefined ? '' : ` with ${escapeJsonControls(describeFields(fields))}`;
  return `${calls} more calls of ${escapeLine(toolName)}${like}`;
}

/** A value that is cut is among the arguments of the calls, too. */
function describeFields(fields: NonNullable<BatchGrant['fields']>): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const text = JSON.stringify(value);
    const shown = wholeCharacters(text.slice(0, MOST_FIELD_CHARACTERS));
    return `${JSON.stringify(name)}:${shown}${text === shown ? '' : '…'}`;
  });
  return `{${members.join(',')}}`;
}

/** The text without half of a character at its end. */
function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}
