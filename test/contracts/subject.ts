import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import type { Sandbox, SandboxProvider } from '../../src/sandbox/sandbox.ts';
import type {
  ExecuteOptions,
  SandboxExecutorOptions,
} from '../../src/sessions/executor-options.ts';
import type { Session } from '../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';
import { skippedFor } from '../support/skipped.ts';

/** What not every place can do that runs programs. */
export type Feature =
  | 'threads'
  | 'subprocesses'
  | 'fork'
  | 'native code'
  | 'file descriptors'
  | 'memory limit'
  | 'nested event loops'
  | 'supervisor'
  | 'JavaScript'
  | 'pending callbacks'
  | 'interrupts of JavaScript';

/** A provider under test. */
export interface Subject {
  readonly name: string;
  readonly create: () => SandboxProvider;
  /** Ends a sandbox from outside, without a word to anyone. */
  readonly kill: (sandbox: Sandbox) => Promise<void>;
  /** What it cannot do, and why. */
  readonly cannot: Partial<Record<Feature, string>>;
}

/** A test that needs a feature. Where the subject has it not, the report says so, with the reason. */
export function itNeeds(
  feature: Feature,
  subject: Subject,
  title: string,
  body: () => Promise<void>,
): void {
  const reason = subject.cannot[feature];
  const note = reason === undefined ? '' : ` [no ${feature} here: ${reason}]`;
  it(`${title}${note}`, skippedFor(reason), async () => {
    expect.hasAssertions();
    await body();
  });
}

/** An executor for the tests of one `describe`. */
export interface Bench {
  readonly executor: SandboxExecutor;
  readonly provider: RecordingProvider;
  /** Runs code in a session of the bench's own, which is opened again where a test ended it. */
  readonly run: (code: string, options?: ExecuteOptions) => Promise<ExecutionResult>;
  /** Runs code in a session that nothing else uses and that does not stay. */
  readonly runOnce: (code: string, options?: ExecuteOptions) => Promise<ExecutionResult>;
  /** Opens a session that only the caller has. */
  readonly open: () => Promise<Session>;
  /** Runs code that must succeed, and gives what it printed. */
  readonly print: (code: string) => Promise<string>;
}

/** Makes an executor before the tests of the current `describe`, and afterwards sees to it that no sandbox is left. */
export function useBench(
  subject: Subject,
  options: SandboxExecutorOptions & { readonly toolList?: readonly ToolDefinition[] } = {},
): Bench {
  let current: { executor: SandboxExecutor; provider: RecordingProvider } | undefined;
  // Of all processes of a machine, one at a time has the session of a key.
  const key = `contract-${randomUUID()}`;
  const get = (): NonNullable<typeof current> => {
    if (current === undefined) throw new Error('The bench is used outside its tests.');
    return current;
  };
  beforeAll(() => {
    const { toolList = [], ...executorOptions } = options;
    const provider = new RecordingProvider(subject.create());
    const tools = new ToolRegistry(toolList);
    current = {
      provider,
      executor: new SandboxExecutor({ tools, sandbox: provider, ...executorOptions }),
    };
  });
  afterAll(async () => {
    const { executor, provider } = get();
    await executor.close();
    await provider.close();
    expect([...provider.open], 'sandboxes left behind').toEqual([]);
  });
  const run: Bench['run'] = async (code, more) => get().executor.execute(code, { key, ...more });
  return {
    get executor() {
      return get().executor;
    },
    get provider() {
      return get().provider;
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
