import { given } from '../../shared/given.ts';
import { checkCount, invalidOption } from '../../shared/options/option-values.ts';
import type { TenantQuotas } from './tenants.ts';

/** @throws PtcError `OPTION_INVALID` */
export function checkTenantOptions(options: {
  readonly fairBy?: string | undefined;
  readonly quotas?: TenantQuotas | undefined;
}): void {
  const { fairBy, quotas } = options;
  if (fairBy !== undefined && (typeof fairBy !== 'string' || fairBy === '')) {
    throw invalidOption('fairBy', fairBy, "the name of a label, such as 'tenant'");
  }
  if (quotas !== undefined && fairBy === undefined) {
    throw invalidOption(
      'fairBy',
      fairBy,
      "set if quotas are: the name of a label, such as 'tenant'",
    );
  }
  for (const [name, value] of Object.entries(given(quotas ?? {}))) {
    checkCount(`quotas.${name}`, value, 1);
  }
}
