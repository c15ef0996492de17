import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import type {
  ExecuteOptions,
  SandboxExecutorOptions,
} from '../../src/sessions/options/executor-options.ts';
import type { Session } from '../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { LONGEST_PROGRAM_MS } from '../../src/testing/bench.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { unisolatedLocalProvider } from './local-provider.ts';

/** An executor for the tests of a file, with a session that they share. Its programs run as processes of this machine. */
export interface Bench {
  readonly executor: SandboxExecutor;
  /** Runs a program in the session of the bench. If an earlier test ended that session, a new one is opened. */
  readonly run: (code: string, options?: ExecuteOptions) => Promise<ExecutionResult>;
  /** Runs a program in a session of its own, which ends with it. */
  readonly runOnce: (code: string, options?: ExecuteOptions) => Promise<ExecutionResult>;
  /** Opens a session for the caller alone. */
  readonly open: () => Promise<Session>;
  /** Runs a program that must succeed. @returns what it printed. */
  readonly print: (code: string) => Promise<string>;
}

/** Makes an executor before the tests of the current `describe`. After them, checks that no sandbox remains. */
export function useBench(
  options: SandboxExecutorOptions & { readonly toolList?: readonly ToolDefinition[] } = {},
): Bench {
  let current: { executor: SandboxExecutor; provider: RecordingProvider } | undefined;
  // One process of the machine at a time holds the session of a key.
  const key = `bench-${randomUUID()}`;
  const get = (): NonNullable<typeof current> => {
    if (current === undefined) throw new Error('The bench is used outside its tests.');
    return current;
  };
  beforeAll(() => {
    const { toolList = [], ...executorOptions } = options;
    const provider = new RecordingProvider(unisolatedLocalProvider());
    const tools = new ToolRegistry(toolList);
    current = {
      provider,
      executor: new SandboxExecutor({
        programTimeoutMs: LONGEST_PROGRAM_MS,
        sandboxStartTimeoutMs: LONGEST_PROGRAM_MS,
        ...executorOptions,
        tools,
        provider,
      }),
    };
  });
  afterAll(async () => {
    const { executor, provider } = get();
    await executor.close();
    const remaining = await provider.remaining();
    await provider.close();
    expect(remaining, 'sandboxes that remain').toEqual([]);
  });
  const run: Bench['run'] = async (code, more) =>
    get().executor.execute(code, { sessionKey: key, ...more });
  return {
    get executor() {
      return get().executor;
    },
    run,
    runOnce: async (code, more) => get().executor.execute(code, more),
    open: async () => get().executor.acquire(),
    print: async (code) => {
      const result = await run(code);
      expect(result.error).toBeUndefined();
      expect(result.status).toBe('ok');
      return result.stdout;
    },
  };
}
