import type { CheckLevel } from '../../tools/tool.ts';
import { checkOneOf } from '../../shared/options/option-values.ts';

/**
 * The option `checkResults`, or its default: nobody waits for warnings in production, where checks
 * cost time.
 * @throws PtcError `OPTION_INVALID`
 */
export function resultChecks(option: CheckLevel | undefined): CheckLevel {
  if (option === undefined) return process.env['NODE_ENV'] === 'production' ? 'off' : 'warn';
  checkOneOf('checkResults', option, ['off', 'warn', 'error']);
  return option;
}
