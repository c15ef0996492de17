import type { Language } from '../languages/language.ts';
import { functionNames } from '../languages/shapes/function-names.ts';
import { shapeText } from '../languages/shapes/shape-text.ts';
import { ResultShape } from '../tools/shapes/read-shape.ts';
import type { Tool } from '../tools/tool.ts';
import type { KeptResults, ResultsOfTool } from './kept-results.ts';

/** How long the note is at most, in characters. */
const LONGEST_NOTE = 4000;
/** How much of it one tool gets. */
const LONGEST_SHAPE = 2000;
/** Of how many tools with an output schema the last result is checked. Each check has a deadline. */
const MOST_CHECKS = 4;

/** What the note needs of the program. */
export interface NotedProgram {
  readonly language: Language;
  /** The tools that it could call. */
  readonly tools: readonly Tool[];
  readonly results: KeptResults;
}

/**
 * Tells a model what the tools returned in its program: types, keys and lengths, and no values.
 * Undefined if there is nothing to tell. The model knows the results of a tool with an output schema
 * from that, so one of them is there only if its last result does not match.
 */
export function shapeNote({ language, tools, results }: NotedProgram): string | undefined {
  const names = functionNames(language, tools);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let checks = 0;
  const lines: string[] = [];
  let room = LONGEST_NOTE;
  let leftOut = 0;
  for (const [name, ofTool] of results.byTool) {
    const tool = byName.get(name);
    if (tool === undefined || ofTool.texts.length === 0) continue;
    const { validateResult } = tool;
    if (validateResult !== undefined && checks++ >= MOST_CHECKS) continue;
    const problem = validateResult && mismatch(validateResult, ofTool);
    if (validateResult !== undefined && problem === undefined) continue;
    const line = lineOf(names.get(name) ?? name, ofTool, language, problem);
    if (line.length > room) {
      leftOut += 1;
      continue;
    }
    room -= line.length;
    lines.push(line);
  }
  if (lines.length === 0) return undefined;
  if (leftOut > 0) lines.push(`(tools left out here: ${leftOut})`);
  return ['What the tools returned in this program:', ...lines].join('\n');
}

function lineOf(
  name: string,
  { count, texts }: ResultsOfTool,
  language: Language,
  problem: string | undefined,
): string {
  const shape = new ResultShape();
  for (const text of texts) shape.read(text);
  const notes: string[] = [];
  if (count > 1)
    notes.push(
      texts.length < count ? `the last ${texts.length} of ${count} calls` : `${count} calls`,
    );
  if (shape.isCut) notes.push('only the beginning of a result was looked at');
  const what = shapeText(shape, language.name, LONGEST_SHAPE);
  const detail = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const contradiction =
    problem === undefined ? '' : `, which does not match its schema: ${problem}`;
  return `${name} returned ${what}${detail}${contradiction}`;
}

/** Why the last result does not match the schema of its tool. */
function mismatch(
  validate: NonNullable<Tool['validateResult']>,
  { texts }: ResultsOfTool,
): string | undefined {
  const last = texts.at(-1);
  if (last === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(last);
  } catch {
    // It was kept without its end.
    return undefined;
  }
  const checked = validate(value);
  return checked.valid ? undefined : checked.message;
}
