import type { RunEventBody } from '../../orchestrator/run-events.ts';
import { EXECUTE_CODE } from '../../orchestrator/code-tool-definition.ts';
import { escapeControls, escapeLine } from '../../shared/control-characters.ts';
import { colorsFor, type Colors } from '../terminal.ts';
import { CodeInput } from './code-input.ts';
import { fitColumns } from './columns.ts';
import { describeCall } from './describe-call.ts';
import { formatDuration } from './format.ts';
import { Sections } from './sections.ts';

export interface RunViewOptions {
  readonly write: (text: string) => void;
  readonly colors: Colors;
  /** Width of the terminal, in columns, as it is now; undefined if lines are not cut, as in a file. */
  readonly columns: () => number | undefined;
}

/** A view that writes to standard output. */
export function standardRunView(): RunView {
  return new RunView({
    write: (text) => void process.stdout.write(text),
    colors: colorsFor(process.stdout),
    // A terminal that does not know its width says 0.
    columns: () => process.stdout.columns || undefined,
  });
}

/** How wide a line with a call may get: beyond that, its time would be hard to find. */
const MOST_COLUMNS = 96;

/** Shows a run as it happens: what the model says and writes, its tool calls, what its code prints. */
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
      case 'run-start':
        this.#running = true;
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
        this.#note('[What came of this answer is void; the model is asked again.]');
        break;
      case 'model-retry':
        this.#note(`${event.nextModel} is asked again: ${event.error.message}`);
        break;
      case 'context-compacted':
        this.#note(
          `The conversation was made shorter: about ${event.tokensAfter} tokens of ${event.tokensBefore} are left.`,
        );
        break;
      case 'code-start':
        this.#showCode(event.toolUseId, event.code);
        break;
      case 'tool-call':
        this.#calls.set(event.callId, describeCall(event.toolName, event.arguments));
        break;
      case 'tool-result':
        this.#showCall(event);
        break;
      case 'output-delta':
        this.#showOutput(event.text, event.stream === 'stderr');
        break;
      case 'code-end':
        // The run that a fault of the host ends tells of it itself.
        if (event.result?.error) this.#showOutput(event.result.error.traceback, true);
        this.#sections.end();
        break;
      case 'run-end':
      case 'run-error':
        this.end();
        break;
      default:
    }
  }

  /** Tells of what takes long during a run, such as an image being built. */
  progress(message: string): void {
    if (this.#running) this.#note(message);
  }

  /** Ends what was being shown, as when the run is interrupted. */
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

  /** Shows what of the program did not come as it was written. */
  #showCode(toolUseId: string, code: string): void {
    const shown = this.#inputs.get(toolUseId)?.shown ?? '';
    const rest = code.startsWith(shown) ? code.slice(shown.length) : code;
    this.#sections.block('code', rest, this.#colors.cyan);
  }

  #showCall(event: Extract<RunEventBody, { type: 'tool-result' }>): void {
    const { dim, green, red } = this.#colors;
    const time = formatDuration(event.durationMs).padStart(8);
    const columns = Math.min(this.#columns() ?? 80, MOST_COLUMNS);
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
