import { HeldExecution } from '../../../src/execution/held/held-execution.ts';
import type { ExecutionBudgets } from '../../../src/execution/limits/execution-budgets.ts';
import { ProgramExecution } from '../../../src/execution/program-execution.ts';
import type { ProgramRequest } from '../../../src/execution/program-request.ts';
import type { RunnerMessage } from '../../../src/protocol/messages.ts';
import { defineRemoteTool } from '../../../src/tools/remote-tool.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import type { FakeRunner } from '../../support/fake-runner.ts';
import { connect, request } from '../fake-connection.ts';

const x = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } as const;

/** Tools whose calls the test answers, and one that answers itself. */
export const tools = new ToolRegistry([
  defineRemoteTool({ name: 'look', description: 'Looks.', inputSchema: x }),
  {
    name: 'add',
    description: 'Adds one.',
    inputSchema: x,
    run: (input) => (input as { x: number }).x + 1,
  },
]);

export interface HeldRun {
  readonly runner: FakeRunner;
  readonly held: HeldExecution;
}

/** Starts a program on a runner in memory, and holds it. */
export function startHeld(
  changes: Partial<ProgramRequest> = {},
  budgets: Partial<ExecutionBudgets> = {},
): HeldRun {
  const { runner, connection } = connect({ budgets });
  const wanted = request({ tools: tools.snapshot(), held: true, ...changes });
  const execution = new ProgramExecution(connection, wanted);
  return { runner, held: new HeldExecution(execution, execution.run()) };
}

export function waiting(results = 0, certain = true, executionId = '1'): RunnerMessage {
  return { kind: 'waiting', execution_id: executionId, results, certain };
}
