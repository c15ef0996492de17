import type { LanguageName } from '../protocol/messages.ts';
import type { ResourceLimits } from './sandbox.ts';

/** An interpreter of programs, as the supervisor in a sandbox starts it. */
export interface Guest {
  /** What it runs; its programs share their state, whichever of these they are written in. */
  readonly languages: readonly LanguageName[];
  /** Program and arguments; none for the Python that the supervisor itself runs on. */
  readonly command: (limits: ResourceLimits) => readonly string[];
}
