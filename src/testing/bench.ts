import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from '../execution/execution.ts';
import type { HeldProgram } from '../execution/held/held-program.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { SandboxProvider } from '../sandbox/sandbox.ts';
import type {
  ExecuteOptions,
  SandboxExecutorOptions,
  SessionExecuteOptions,
} from '../sessions/options/executor-options.ts';
import type { Session } from '../sessions/executor.ts';
import { SandboxExecutor } from '../sessions/sandbox-executor.ts';
import type { ToolOrDefinition } from '../tools/define-tool.ts';
import { ToolRegistry } from '../tools/registry/registry.ts';
import { checkResult, type ExpectedResult } from './check-result.ts';
import type { PreparedProgram } from './programs/contract-programs.ts';
import type { RecordingProvider } from './recording-provider.ts';

/** The time limit of a program that names none. It ends what hangs: on a busy machine, a program can take minutes. */
export const LONGEST_PROGRAM_MS: number = 240_000;

/** How long a sandbox may take to start. Twice as long as usual, for a busy machine; one that never does fails each test. */
const LONGEST_START_MS = 60_000;

/** The options of the executor of a group of tests. */
export interface BenchOptions extends Omit<SandboxExecutorOptions, 'sandbox' | 'tools'> {
  /** @default none */
  readonly tools?: readonly ToolOrDefinition[];
}

/** The provider that all groups share, and a function that makes another one. */
export type BenchProviders = Pick<Bench, 'provider' | 'newProvider'>;

/** The executor of a group of tests, with a session that the tests share. */
export class Bench {
  readonly executor: SandboxExecutor;
  readonly tools: ToolRegistry;
  readonly provider: RecordingProvider;
  /** Makes a provider for one test, which closes it. */
  readonly newProvider: () => SandboxProvider;
  readonly #others: SandboxExecutor[] = [];
  /** A key that nothing else on the machine uses: one process at a time holds the session of a key. */
  readonly #key: string = `contract-${randomUUID()}`;

  constructor(
    { provider, newProvider }: BenchProviders,
    language: LanguageName,
    { tools = [], languages = [language], ...options }: BenchOptions,
  ) {
    this.provider = provider;
    this.newProvider = newProvider;
    this.tools = new ToolRegistry(tools);
    this.executor = new SandboxExecutor({
      programTimeoutMs: LONGEST_PROGRAM_MS,
      sandboxStartTimeoutMs: LONGEST_START_MS,
      ...options,
      tools: this.tools,
      provider,
      languages,
    });
  }

  /** Runs a program in the session of the group. If an earlier test ended that session, a new one is opened. */
  async run(
    program: PreparedProgram | string,
    options: ExecuteOptions = {},
  ): Promise<ExecutionResult> {
    if (typeof program === 'string') return this.#runCode(program, options);
    for (const code of program.earlier) {
      checkResult(await this.#runCode(code, {}), { status: 'ok' });
    }
    return this.#runCode(program.code, options);
  }

  /** Starts a program in the session of the group. */
  async start(
    program: PreparedProgram | string,
    options: SessionExecuteOptions = {},
  ): Promise<HeldProgram> {
    const code = typeof program === 'string' ? program : program.code;
    const session = await this.session();
    try {
      return await session.start(code, options);
    } finally {
      // The program goes on nevertheless.
      await session.release();
    }
  }

  /** Runs a program as `run` does and checks the result. What the program says of its result comes before `expected`. */
  async check(
    program: PreparedProgram,
    expected: ExpectedResult,
    options: ExecuteOptions = {},
  ): Promise<ExecutionResult> {
    const result = await this.run(program, options);
    checkResult(result, expected, program);
    return result;
  }

  /** Runs a program in the session of the group. It must succeed. @returns what it printed to standard output. */
  async print(code: string): Promise<string> {
    const result = await this.#runCode(code, {});
    assert.equal(result.status, 'ok', JSON.stringify(result));
    return result.stdout;
  }

  /** Runs a program in a session of its own, which ends with it. Earlier programs of a list are not run. */
  async runOnce(
    program: PreparedProgram | string,
    options?: ExecuteOptions,
  ): Promise<ExecutionResult> {
    return this.executor.execute(typeof program === 'string' ? program : program.code, options);
  }

  /** The session in which `run` runs programs. */
  async session(): Promise<Session> {
    return this.executor.acquire({ sessionKey: this.#key });
  }

  /** Opens a session for the caller alone. */
  async open(): Promise<Session> {
    return this.executor.acquire();
  }

  /** Makes a second executor of the same provider, as another host of its sandboxes. */
  another(options: Pick<SandboxExecutorOptions, 'advertise'> = {}): SandboxExecutor {
    const { tools, provider } = this;
    const { languages } = this.executor;
    const other = new SandboxExecutor({
      tools,
      provider,
      languages,
      programTimeoutMs: LONGEST_PROGRAM_MS,
      sandboxStartTimeoutMs: LONGEST_START_MS,
      ...options,
    });
    this.#others.push(other);
    return other;
  }

  /** Ends all sandboxes. @throws AssertionError if a session remains. */
  async close(): Promise<void> {
    await Promise.all([this.executor, ...this.#others].map(async (executor) => executor.close()));
    assert.deepEqual(
      this.executor.activeSessions,
      [],
      'Sessions remain after the executor was closed.',
    );
  }

  async #runCode(code: string, options: ExecuteOptions): Promise<ExecutionResult> {
    return this.executor.execute(code, { sessionKey: this.#key, ...options });
  }
}
