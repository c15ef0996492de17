import { invalidOption } from '../../../shared/options/option-values.ts';

/** What the manifests call the template. */
export const DEFAULT_TEMPLATE = 'sandboxed-ptc';

/** A name in the API, which must not change the path of a request. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** @throws PtcError `OPTION_INVALID` */
export function checkName(option: string, value: string): void {
  if (NAME.test(value)) return;
  throw invalidOption(option, value, 'a name that Kubernetes allows, such as agents');
}
