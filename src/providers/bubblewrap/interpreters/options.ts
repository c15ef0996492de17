import { PtcError } from '../../../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { invalidOption } from '../../../shared/options/option-values.ts';

/** Options of `bubblewrapProvider`. */
export interface BubblewrapProviderOptions {
  /**
   * The path of the Python that runs programs, such as that of a virtual environment:
   * `.venv/bin/python`. Sandboxes see the files of its installation, and can only read them.
   * @default the system's `python3`
   */
  readonly python?: string;
  /**
   * The path of the Node that runs programs, such as one of nvm. Sandboxes see the files of its
   * installation, and can only read them.
   * @default the system's `node`
   */
  readonly node?: string;
}

export const BUBBLEWRAP_OPTIONS: OptionsObject<BubblewrapProviderOptions> = {
  of: 'bubblewrapProvider',
  names: { python: 'text', node: 'text' },
  page: 'docs/sandboxes.md',
  otherWords: { venv: 'python', interpreter: 'python', nodejs: 'node' },
};

/** @throws PtcError `OPTION_INVALID` */
export function checkBubblewrapOptions(options: BubblewrapProviderOptions): void {
  checkOptionNames(options, BUBBLEWRAP_OPTIONS);
  for (const name of ['python', 'node'] as const) {
    const value = options[name];
    if (value !== undefined && !/^(?=.*\/)[^\0]+$/.test(value)) {
      throw invalidOption(name, value, 'a path, such as .venv/bin/python or /opt/node/bin/node');
    }
  }
}

/** The error for an interpreter that cannot be used. @param problem - A clause about the path. */
export function unusableInterpreter(option: string, path: string, problem: string): PtcError {
  return new PtcError(
    'OPTION_INVALID',
    `The ${option} of bubblewrapProvider, ${path}, ${problem}`,
    {
      details: { option, value: path },
    },
  );
}
