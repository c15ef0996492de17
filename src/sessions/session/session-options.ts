import type { ProgramChecker } from '../../languages/program-checker.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { AuditSink } from '../../audit/entry.ts';
import type { Labels } from '../../shared/labels.ts';

/** Options of a session. */
export interface SessionOptions {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: Labels;
  /** The tenant for which its sandbox counts. */
  readonly tenant: Group;
  /** How long it lives without being used. */
  readonly timeoutMs: number;
  /** How long its first user waited for its sandbox. */
  readonly startDurationMs: number;
  /** Gets entries about the session. */
  readonly audit?: AuditSink | undefined;
  /** Checks its programs before they run. @default they are not checked */
  readonly checker?: ProgramChecker | undefined;
}
