import { BASH } from './cases/bash.ts';
import { ESCAPE } from './cases/escape.ts';
import { FILESYSTEM } from './cases/filesystem.ts';
import { HOST } from './cases/host.ts';
import { JAVASCRIPT } from './cases/javascript.ts';
import { LIFECYCLE } from './cases/lifecycle.ts';
import { NETWORK } from './cases/network.ts';
import { PROTOCOL } from './cases/protocol.ts';
import { RESOURCES } from './cases/resources.ts';
import { SESSION } from './cases/session.ts';
import type { SecurityCase } from './cases/security-case.ts';
import { TOOLS_AND_MODEL } from './cases/tools-and-model.ts';

/** How many cases the plan has. Those after it were found on the way. */
export const PLANNED_CASES = 112;

/** Every case, with what proves it. */
export const SECURITY_CASES: readonly SecurityCase[] = [
  ...ESCAPE,
  ...NETWORK,
  ...FILESYSTEM,
  ...RESOURCES,
  ...PROTOCOL,
  ...SESSION,
  ...LIFECYCLE,
  ...TOOLS_AND_MODEL,
  ...JAVASCRIPT,
  ...BASH,
  ...HOST,
];
