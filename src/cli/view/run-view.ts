import type { RunEventBody } from '../../orchestrator/events/run-events.ts';
import { EXECUTE_CODE } from '../../orchestrator/code/code-tool-definition.ts';
import { escapeControls, escapeLine } from '../../shared/control-characters.ts';
import { colorsFor, type Colors } from '../terminal/terminal.ts';
import { CodeInput } from './code-input.ts';
import { fitColumns } from './columns.ts';
import { describeCall } from './describe-call.ts';
import { formatDuration } from './format.ts';
import { Sections } from './sections.ts';

export interface RunViewOptions {
  readonly write: (text: string) => void;
  readonly colors: Colors;
  /** The terminal's current width in columns; undefined if lines are not cut, as in a file. */
  readonly columns: () => number | undefined;
}

/** A view that writes to standard output. */
export function standardRunView(): RunView {
  return new RunView({
    write: (text) => void process.stdout.write(text),
    colors: colorsFor(process.stdout),
    // A terminal that does not know its width reports 0.
    columns: () => process.stdout.columns || undefined,
  });
}

/** The widest line of a tool call. In a wider one, its duration would be hard to find. */
const MAX_CALL_COLUMNS = 96;

/**
 * Shows a run as it happens: the model's text and programs, tool calls, and the output of programs.
 */
export class RunView {
  readonly #sections: Sections;
  readonly #colors: Colors;
  readonly #columns: () => number | undefined;
  readonly #inputs: Map<string, { readonly input: CodeInput; shown: string }> = new Map();
  readonly #calls: Map<string, string> = new Map();
  #running = false;

  constructor(options: RunViewOptions) {
    this.#sections = new Sections(options);
    this.#colors = options.colors;
    this.#columns = options.columns;
  }

  show(event: RunEventBody): void {
    switch (event.type) {
      case 'run-started':
        this.#running = true;
        // Those of an answer that was stopped. A model may use their ids again.
        this.#inputs.clear();
        break;
      case 'text-delta':
        this.#sections.text(event.text);
        break;
      case 'thinking-delta':
        this.#sections.text(event.text, this.#colors.dim);
        break;
      case 'tool-input-delta':
        if (event.toolName === EXECUTE_CODE) this.#showInput(event.toolUseId, event.json);
        break;
      case 'answer-discarded':
        this.#inputs.clear();
        this.#note('[This answer broke off and is void; the model is asked again.]');
        break;
      case 'model-retry-scheduled':
        this.#note(`Retrying with ${event.nextModel}: ${event.error.message}`);
        break;
      case 'context-compacted':
        this.#note(
          `The conversation was shortened from about ${event.tokensBefore} to about ${event.tokensAfter} tokens.`,
        );
        break;
      case 'program-started':
        this.#showCode(event.toolUseId, event.code);
        break;
      case 'tool-call-started':
        this.#calls.set(event.callId, describeCall(event.toolName, event.arguments));
        break;
      case 'tool-call-ended':
        this.#showCall(event);
        break;
      case 'output-delta':
        this.#showOutput(event.text, event.stream === 'stderr');
        break;
      case 'program-ended':
        // If the host has an error, the run itself reports it.
        if (event.result?.error) this.#showOutput(event.result.error.traceback, true);
        this.#sections.end();
        break;
      case 'run-ended':
      case 'run-failed':
        this.end();
        break;
      default:
    }
  }

  /** Shows what takes long during a run, such as building an image. */
  progress(message: string): void {
    if (this.#running) this.#note(message);
  }

  /** Shows what a program produced beside its output. */
  produced(line: string): void {
    this.#note(line);
  }

  /** Writes what a terminal draws an image for. */
  draw(sequence: string): void {
    this.#sections.raw(sequence);
  }

  /** Ends the current section, for example if the run is interrupted. */
  end(): void {
    this.#running = false;
    this.#sections.end();
  }

  #note(message: string): void {
    this.#sections.line(this.#colors.dim(`  ${escapeControls(message)}`));
  }

  #showInput(toolUseId: string, json: string): void {
    const known = this.#inputs.get(toolUseId) ?? { input: new CodeInput(), shown: '' };
    const code = known.input.add(json);
    known.shown += code;
    this.#inputs.set(toolUseId, known);
    this.#sections.block('code', code, this.#colors.cyan);
  }

  /** Shows the part of the program that was not shown while it was written. */
  #showCode(toolUseId: string, code: string): void {
    const shown = this.#inputs.get(toolUseId)?.shown ?? '';
    this.#inputs.delete(toolUseId);
    const rest = code.startsWith(shown) ? code.slice(shown.length) : code;
    this.#sections.block('code', rest, this.#colors.cyan);
  }

  #showCall(event: Extract<RunEventBody, { type: 'tool-call-ended' }>): void {
    const { dim, green, red } = this.#colors;
    const time = formatDuration(event.durationMs).padStart(8);
    const columns = Math.min(this.#columns() ?? 80, MAX_CALL_COLUMNS);
    const room = Math.max(1, columns - '  → '.length - time.length - 1);
    const call = fitColumns(this.#calls.get(event.callId) ?? escapeLine(event.toolName), room);
    this.#calls.delete(event.callId);
    const mark = event.error === undefined ? green('→') : red('✗');
    this.#sections.line(`  ${mark} ${call} ${dim(time)}`);
    if (event.error === undefined) return;
    const { type, message } = event.error;
    this.#sections.line(`    ${red(escapeControls(`${type}: ${message}`))}`);
  }

  #showOutput(text: string, isError: boolean): void {
    this.#sections.block('printed', text, isError ? this.#colors.red : (plain) => plain);
  }
}
