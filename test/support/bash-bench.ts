import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type { ExecuteOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { LONGEST_PROGRAM_MS } from '../../src/testing/bench.ts';

export interface BashBench {
  /** Runs a program in the session of all programs, which is opened anew where it ended. */
  readonly run: (code: string, options?: ExecuteOptions) => Promise<ExecutionResult>;
  /** Runs a program that must succeed, and gives what it printed. */
  readonly print: (code: string) => Promise<string>;
}

/** Makes an executor for bash for the tests of one `describe` or file. */
export function useBash(
  sandbox: () => SandboxProvider,
  tools: readonly ToolDefinition[] = [],
): BashBench {
  let executor: SandboxExecutor | undefined;
  const key = `bash-${randomUUID()}`;
  beforeAll(() => {
    executor = new SandboxExecutor({
      provider: sandbox(),
      tools: new ToolRegistry(tools),
      languages: ['bash'],
      programTimeoutMs: LONGEST_PROGRAM_MS,
      sandboxStartTimeoutMs: LONGEST_PROGRAM_MS,
    });
  });
  afterAll(async () => executor?.close());
  const run: BashBench['run'] = async (code, options = {}) => {
    if (executor === undefined) throw new Error('A program is run outside the tests.');
    return executor.execute(code, { sessionKey: key, ...options });
  };
  return {
    run,
    print: async (code) => {
      const result = await run(code);
      expect({ code, ...result }).toMatchObject({ status: 'ok', error: undefined });
      return result.stdout;
    },
  };
}
