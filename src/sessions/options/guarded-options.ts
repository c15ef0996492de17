import { GuardedAuditLog } from '../../audit/guarded-audit-log.ts';
import { guardedListener } from '../../shared/listeners/guarded-listener.ts';
import type { SandboxExecutorOptions } from './executor-options.ts';

/**
 * The options of an executor with functions of the user's that do not throw. If one threw between
 * the start of a sandbox and its end, nobody would end the sandbox. `ExecutorWatch` guards
 * `onExecutorEvent`.
 */
export function guardedOptions(options: SandboxExecutorOptions): SandboxExecutorOptions {
  const { audit, onProgress } = options;
  return {
    ...options,
    ...(audit && { audit: new GuardedAuditLog(audit) }),
    ...(onProgress && { onProgress: guardedListener(onProgress) }),
  };
}
