import { RunnerConnection } from '../../src/execution/connection/runner-connection.ts';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import {
  DEFAULT_BUDGETS,
  type ExecutionBudgets,
} from '../../src/execution/limits/execution-budgets.ts';
import { ProgramExecution } from '../../src/execution/program-execution.ts';
import type { ProgramRequest } from '../../src/execution/program-request.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { callOrigin } from '../support/call-origin.ts';
import { FakeRunner } from '../support/fake-runner.ts';

const tools = new ToolRegistry([
  defineTool({
    name: 'add',
    description: 'Adds one.',
    inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
    run: ({ x }: { x: number }) => x + 1,
  }),
  defineTool({
    name: 'secret',
    description: 'Not for code.',
    allowedCallers: ['direct'],
    run: () => 'secret',
  }),
]);

class TestConnection extends RunnerConnection {
  async execute(program: ProgramRequest): Promise<ExecutionResult> {
    return new ProgramExecution(this, program).run();
  }
}

/** A connection to a runner in memory. */
export function connect(
  changes: {
    readonly maxOutputBytes?: number;
    readonly startTimeoutMs?: number;
    readonly budgets?: Partial<ExecutionBudgets>;
  } = {},
): { readonly runner: FakeRunner; readonly connection: TestConnection } {
  const runner = new FakeRunner();
  const connection = new TestConnection(runner, {
    showLastValue: true,
    maxOutputBytes: 100,
    startTimeoutMs: 60_000,
    ...changes,
    budgets: { ...DEFAULT_BUDGETS, ...changes.budgets },
  });
  return { runner, connection };
}

/** A program to run, `changes` aside. */
export function request(changes: Partial<ProgramRequest> = {}): ProgramRequest {
  return {
    origin: callOrigin(),
    endsRun: true,
    language: 'python',
    code: 'print()',
    tools: tools.snapshot(),
    timeoutMs: 60_000,
    ...changes,
  };
}
