import { escapeLine } from '../../shared/control-characters.ts';
import { escapeJsonControls } from '../../shared/json/json-escapes.ts';
import type { ApprovalBatch, BatchGrant } from '../../tools/policy/batches/approval-batch.ts';
import type { Colors } from '../terminal/terminal.ts';
import { fitColumns } from '../view/columns.ts';
import type { Edits } from './choice.ts';

/** The narrowest column for arguments. */
const LEAST_WIDTH = 20;

/** A batch as a table of its calls. What comes from a program is escaped, and cut to one row. */
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
  const widest = (name: keyof typeof heading): number =>
    Math.max(...[heading, ...rows].map((row) => row[name].length));
  const [numberWidth, toolWidth, lineWidth] = [widest('number'), widest('tool'), widest('line')];
  const room = Math.max(LEAST_WIDTH, columns - numberWidth - toolWidth - lineWidth - 8);
  const sentWidth = Math.min(room, widest('sent'));
  const rowOf = ({ number, tool, sent, line }: typeof heading): string =>
    `  ${number.padStart(numberWidth)}  ${tool.padEnd(toolWidth)}  ${fitColumns(sent, sentWidth)}  ${line}`.trimEnd();
  return [colors.dim(rowOf(heading)), ...rows.map(rowOf)].join('\n');
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
  const like = fields === undefined ? '' : ` with ${escapeJsonControls(JSON.stringify(fields))}`;
  return `${calls} more calls of ${escapeLine(toolName)}${like}`;
}
