import { timed } from '../calls/timed.ts';
import type { ExecutionResult } from '../execution/execution.ts';
import { isShapeError } from '../execution/shape-error.ts';
import { shapeNote, type NotedProgram } from '../execution/shape-note.ts';
import { isLoopTurnFull, ownLoopTurn } from '../shared/async/event-loop-work.ts';
import type { Group } from '../shared/async/fair-queue.ts';

/**
 * The result of a program. If it failed because a value did not have the shape that it expected, the
 * traceback of its error ends with what its tools returned.
 * @param program - Undefined if nobody kept its results.
 */
export async function withShapes(
  result: ExecutionResult,
  program: NotedProgram | undefined,
  tenant: Group,
): Promise<ExecutionResult> {
  const { error, status } = result;
  if (program === undefined || error === undefined || status !== 'error') return result;
  if (!isShapeError(error, program.language.name)) return result;
  // Many programs may fail at the same moment.
  if (isLoopTurnFull()) await ownLoopTurn(tenant);
  const note = timed(
    () => shapeNote(program),
    () => {},
  );
  if (note === undefined) return result;
  return { ...result, error: { ...error, traceback: `${error.traceback}\n${note}` } };
}
