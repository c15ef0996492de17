import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from '../execution/execution.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { ExecuteOptions, SandboxExecutorOptions } from '../sessions/executor-options.ts';
import type { Session } from '../sessions/executor.ts';
import { SandboxExecutor } from '../sessions/sandbox-executor.ts';
import type { ToolDefinition } from '../tools/define-tool.ts';
import { ToolRegistry } from '../tools/registry.ts';
import { checkResult, type ExpectedResult } from './check-result.ts';
import type { PreparedProgram } from './contract-programs.ts';
import type { RecordingProvider } from './recording-provider.ts';

/** What the executor of a group of tests is made with. */
export interface BenchOptions extends Omit<
  SandboxExecutorOptions,
  'sandbox' | 'languages' | 'tools'
> {
  /** @default none */
  readonly tools?: readonly ToolDefinition[];
}

/** An executor for one group of tests, with a session that they share. */
export class Bench {
  readonly executor: SandboxExecutor;
  readonly provider: RecordingProvider;
  readonly language: LanguageName;
  /** Of all processes of a machine, one at a time has the session of a key. */
  readonly #key: string = `contract-${randomUUID()}`;

  constructor(
    provider: RecordingProvider,
    language: LanguageName,
    { tools = [], ...options }: BenchOptions,
  ) {
    this.provider = provider;
    this.language = language;
    this.executor = new SandboxExecutor({
      ...options,
      tools: new ToolRegistry(tools),
      sandbox: provider,
      languages: [language],
    });
  }

  /** Runs a program in the session of the bench, which is opened again where a test ended it. */
  async run(program: PreparedProgram, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    for (const code of program.earlier) {
      checkResult(await this.#runCode(code, {}), { status: 'ok' });
    }
    return this.#runCode(program.code, options);
  }

  /** Runs a program as `run` does, and checks how it went: `expected`, unless the program says otherwise. */
  async check(
    program: PreparedProgram,
    expected: ExpectedResult,
    options: ExecuteOptions = {},
  ): Promise<ExecutionResult> {
    const result = await this.run(program, options);
    checkResult(result, expected, program);
    return result;
  }

  /** Runs the end of a program in a session that nothing else uses and that does not stay. */
  async runOnce({ code }: PreparedProgram, options?: ExecuteOptions): Promise<ExecutionResult> {
    return this.executor.execute(code, options);
  }

  /** Opens a session that only the caller has. */
  async open(): Promise<Session> {
    return this.executor.acquire();
  }

  /** Ends every sandbox. @throws AssertionError where one is left. */
  async close(): Promise<void> {
    await this.executor.close();
    assert.deepEqual(this.executor.activeSessions, [], 'Sessions were left behind.');
  }

  async #runCode(code: string, options: ExecuteOptions): Promise<ExecutionResult> {
    return this.executor.execute(code, { key: this.#key, ...options });
  }
}
