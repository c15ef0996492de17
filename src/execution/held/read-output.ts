import { checkOptionNames } from '../../shared/options/option-names.ts';
import { checkCount } from '../../shared/options/option-values.ts';
import { CURSOR_NAMES, OUTPUT_OPTIONS } from './held-program.ts';
import type { HeldOutput, OutputCursor, OutputOptions } from './held-program.ts';

const START: OutputCursor = { stdout: 0, stderr: 0 };

/**
 * What was printed since a look at it.
 * @param printed - All that was printed.
 * @throws PtcError `OPTION_INVALID`
 */
export function readOutput(
  printed: Pick<HeldOutput, 'stdout' | 'stderr'>,
  options: OutputOptions,
): HeldOutput {
  checkOptionNames(options, OUTPUT_OPTIONS);
  const { since = START } = options;
  const object = { of: 'since', names: CURSOR_NAMES, page: OUTPUT_OPTIONS.page };
  checkOptionNames(since, { ...object, required: ['stdout', 'stderr'] });
  checkCount('since.stdout', since.stdout, 0);
  checkCount('since.stderr', since.stderr, 0);
  const { stdout, stderr } = printed;
  return {
    stdout: stdout.slice(since.stdout),
    stderr: stderr.slice(since.stderr),
    cursor: { stdout: stdout.length, stderr: stderr.length },
  };
}
