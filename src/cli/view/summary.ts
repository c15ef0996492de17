import type { RunResult } from '../../orchestrator/events/run-events.ts';
import { escapeLine } from '../../shared/control-characters.ts';
import type { Colors } from '../terminal/terminal.ts';
import { formatCount, formatDuration } from './format.ts';

export interface SummaryOptions {
  readonly result: RunResult;
  /** The provider, such as `docker`. */
  readonly sandbox: string;
  readonly model: string;
  readonly colors: Colors;
  /** The characters of the files that tools gave to programs. */
  readonly fileCharacters: number;
}

/** As in `RunSavings`. */
const CHARACTERS_PER_TOKEN = 4;

/** The figures of a run, as a table with a few lines. */
export function summary({
  result,
  sandbox,
  model,
  colors,
  fileCharacters,
}: SummaryOptions): string {
  const { contextTokens, directTokens } = result.savings;
  const fileTokens = Math.ceil(fileCharacters / CHARACTERS_PER_TOKEN);
  const direct = { contextTokens, directTokens: directTokens + fileTokens };
  const made = fileTokens > 0 ? ', with the files' : '';
  const rows: [string, string][] = [
    ['Model turns', formatCount(result.turns)],
    ['Tool calls', formatCount(result.toolCalls)],
    ['Tokens of code and output in the context', formatCount(contextTokens)],
    [`Tokens of the same calls made directly${made}`, describeDirect(direct, colors)],
    ['Wall time', formatDuration(result.durationMs)],
    ['Sandbox', escapeLine(sandbox)],
    ['Model', escapeLine(model)],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${colors.dim(label.padEnd(width))}   ${value}`);
  return `${lines.join('\n')}\n`;
}

function describeDirect(
  { contextTokens, directTokens }: RunResult['savings'],
  colors: Colors,
): string {
  const count = formatCount(directTokens);
  if (contextTokens === 0 || directTokens <= contextTokens) return count;
  const factor = directTokens / contextTokens;
  return `${count}  ${colors.green(`${factor.toFixed(factor < 10 ? 1 : 0)}× as many`)}`;
}
