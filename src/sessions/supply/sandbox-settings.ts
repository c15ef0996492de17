import { DEFAULT_BUDGETS } from '../../execution/limits/execution-budgets.ts';
import type { ResourceLimits, SandboxProvider } from '../../sandbox/sandbox.ts';
import { given } from '../../shared/given.ts';
import type { SandboxExecutorOptions } from '../options/executor-options.ts';
import { DEFAULT_LANGUAGES } from '../options/language-choice.ts';
import type { SandboxSettings } from './started-sandbox.ts';

/** The settings that the options of an executor name, and the defaults. */
export function sandboxSettings(
  provider: SandboxProvider,
  options: SandboxExecutorOptions,
  limits: ResourceLimits,
): SandboxSettings {
  return {
    provider,
    languages: options.languages ?? DEFAULT_LANGUAGES,
    limits,
    maxOutputBytes: options.maxOutputBytes ?? 4 * 1024 * 1024,
    showLastValue: options.showLastValue ?? true,
    budgets: { ...DEFAULT_BUDGETS, ...given(options.budgets ?? {}) },
    startTimeoutMs: options.sandboxStartTimeoutMs ?? 30_000,
    idleTimeoutMs: options.sessionIdleTimeoutMs ?? 270_000,
  };
}
