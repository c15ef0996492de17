import { escapeLine } from '../shared/control-characters.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { invalidOption } from '../shared/options/option-values.ts';
import type { ToolProgress } from '../tools/tool.ts';

/** How often reports of one call are passed on. */
const PAUSE_MS = 100;

/** In characters. */
const LONGEST_MESSAGE = 1000;

export const TOOL_PROGRESS: OptionsObject<ToolProgress> = {
  of: 'progress',
  names: { progress: 'number', total: 'number', message: 'text' },
  page: 'docs/tools.md',
  required: ['progress'],
};

/**
 * The reports of one call. A tool may report more often than listeners can use, and what it reports
 * may come from elsewhere.
 */
export class ProgressReports {
  readonly #tell: (progress: ToolProgress) => void;
  #timer: NodeJS.Timeout | undefined;
  /** The last report that came during the pause. */
  #held: ToolProgress | undefined;

  constructor(tell: (progress: ToolProgress) => void) {
    this.#tell = tell;
  }

  /** @throws PtcError `OPTION_INVALID` for what is not a report. */
  add(report: ToolProgress): void {
    checkOptionNames(report, TOOL_PROGRESS);
    checkFinite('progress', report.progress);
    checkFinite('total', report.total);
    const { progress, total, message } = report;
    // What the tool changes in its object later was not checked.
    this.#held = { progress, total, message };
    if (this.#timer === undefined) this.#pass();
  }

  /** The call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#pass();
    clearTimeout(this.#timer);
  }

  readonly #pass = (): void => {
    this.#timer = undefined;
    if (this.#held === undefined) return;
    const { progress, total, message } = this.#held;
    this.#held = undefined;
    const text = message?.slice(0, LONGEST_MESSAGE).toWellFormed();
    this.#tell({ progress, total, message: text && escapeLine(text) });
    this.#timer = setTimeout(this.#pass, PAUSE_MS).unref();
  };
}

function checkFinite(name: string, value: number | undefined): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw invalidOption(name, value, 'a finite number');
}
