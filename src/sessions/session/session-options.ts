import type { ProgramChecker } from '../../languages/program-checker.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { AuditSink } from '../../audit/entry.ts';
import type { Labels } from '../../shared/labels.ts';
import type { CheckLevel } from '../../tools/tool.ts';
import type { ProgramQuotas } from '../tenants/program-quotas.ts';

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
  /** Gets entries about the session and its programs. */
  readonly audit: AuditSink | undefined;
  /** Checks its programs before they run. @default they are not checked */
  readonly checker: ProgramChecker | undefined;
  /** The label whose values are the tenants of its programs. @default there are none */
  readonly fairBy: string | undefined;
  readonly quotas: ProgramQuotas;
  /** Whether results of tools are checked. */
  readonly checkResults: CheckLevel;
  /** Whether the shapes of results are kept. */
  readonly resultShapes: boolean;
  /** Keeps it from being evicted or handed over until the returned function is called. */
  readonly use: () => () => void;
}
