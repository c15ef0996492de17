import type { ResultChecks } from '../tools/tool.ts';
import { invalid } from './invalid-option.ts';

/**
 * The option `checkResults`, or its default: nobody waits for warnings in production, where checks
 * cost time.
 * @throws PtcError `OPTION_INVALID`
 */
export function resultChecks(option: ResultChecks | undefined): ResultChecks {
  if (option === undefined) return process.env['NODE_ENV'] === 'production' ? 'off' : 'warn';
  if (['off', 'warn', 'error'].includes(option)) return option;
  throw invalid('checkResults', option, "'off', 'warn' or 'error'");
}
