import { given } from '../../shared/given.ts';
import { invalid } from '../invalid-option.ts';
import type { TenantQuotas } from './tenants.ts';

/** @throws PtcError `OPTION_INVALID` */
export function checkTenantOptions(options: {
  readonly fairBy?: string | undefined;
  readonly quotas?: TenantQuotas | undefined;
}): void {
  const { fairBy, quotas } = options;
  if (fairBy !== undefined && (typeof fairBy !== 'string' || fairBy === '')) {
    throw invalid('fairBy', fairBy, "the name of a label, such as 'tenant'");
  }
  if (quotas !== undefined && fairBy === undefined) {
    throw invalid('fairBy', fairBy, "set if quotas are: the name of a label, such as 'tenant'");
  }
  for (const [name, value] of Object.entries(given(quotas ?? {}))) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw invalid(`quotas.${name}`, value, 'a whole number, at least 1');
  }
}
