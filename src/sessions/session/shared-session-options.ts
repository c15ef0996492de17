import type { ProgramChecker } from '../../languages/program-checker.ts';
import type { Labels } from '../../shared/labels.ts';
import type { CheckLevel } from '../../tools/tool.ts';
import type { SandboxExecutorOptions } from '../options/executor-options.ts';
import type { ExecutorWatch } from '../executor-watch.ts';
import type { SessionManager } from '../session-manager.ts';
import type { SandboxSupply } from '../supply/sandbox-supply.ts';
import type { ProgramQuotas } from '../tenants/program-quotas.ts';

/** What the sessions of an executor share. */
export interface SharedSessionParts {
  readonly options: Pick<
    SandboxExecutorOptions,
    'advertise' | 'audit' | 'fairBy' | 'resultShapes' | 'sessionIdleTimeoutMs'
  >;
  readonly supply: SandboxSupply;
  readonly sessions: SessionManager;
  readonly watch: ExecutorWatch;
  readonly quotas: ProgramQuotas;
  /** Whether results of tools are checked. */
  readonly checkResults: CheckLevel;
  /** Checks programs before they run. @default they are not checked */
  readonly checker: Promise<ProgramChecker> | undefined;
  /** Fires when the executor closes. */
  readonly closing: AbortSignal;
  /** Fires when `close` of the executor stops waiting, so that nothing else waits either. */
  readonly closed: AbortSignal;
  /** As `SessionOpener.use`. */
  readonly use: (id: string) => () => void;
}

/** What a request wants of the session that it opens. */
export interface SessionRequest {
  readonly labels: Labels;
  /** Whether its sandbox outlives this process. */
  readonly persistent: boolean;
}
