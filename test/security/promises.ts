import { AUDIT_AND_NAMES } from './promises/audit-and-names.ts';
import { BUBBLEWRAP } from './promises/bubblewrap.ts';
import { COMPARE_PROVIDERS } from './promises/compare-providers.ts';
import { SPAWNER } from './promises/spawner.ts';
import { DOCKER } from './promises/docker.ts';
import { EMBEDDED } from './promises/embedded.ts';
import { LIMITS_AND_ADVICE } from './promises/limits-and-advice.ts';
import { OVERVIEW } from './promises/overview.ts';
import { PARSING } from './promises/parsing.ts';
import type { SecurityPromise } from './promises/security-promise.ts';
import { SUPERVISOR } from './promises/supervisor.ts';
import { TRUST_MODEL } from './promises/trust-model.ts';

/** Every sentence of SECURITY.md, with what shows it. */
export const SECURITY_PROMISES: readonly SecurityPromise[] = [
  ...OVERVIEW,
  ...COMPARE_PROVIDERS,
  ...TRUST_MODEL,
  ...AUDIT_AND_NAMES,
  ...PARSING,
  ...SUPERVISOR,
  ...DOCKER,
  ...BUBBLEWRAP,
  ...SPAWNER,
  ...EMBEDDED,
  ...LIMITS_AND_ADVICE,
];
