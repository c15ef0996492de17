import type { ExecutionResult } from '../../execution/execution.ts';
import type { HeldProgram, OutputCursor } from '../../execution/held/held-program.ts';

/** The result of a program. */
export interface CodeRun {
  readonly result: ExecutionResult;
  /** Whether earlier programs had run, and their variables were gone when this program began. */
  readonly stateWasLost: boolean;
  /** Sentences about files of the conversation that the program did not find. */
  readonly inputProblems: readonly string[];
  /** What the model is told about the calls of the program. @default nothing */
  readonly hint?: string | undefined;
  /** How much of its output the model has seen. @default nothing, and it knows of no earlier part */
  readonly seen?: OutputCursor | undefined;
}

/** A program that has begun. */
export interface StartedRun {
  readonly program: HeldProgram;
  /** Rejects with what `Session.execute` would throw. */
  readonly ended: Promise<CodeRun>;
}

/**
 * A program that has begun, as a run.
 * @param about - What is known of its beginning.
 * @param onEnd - Called with the result when it has ended.
 */
export function startedRun(
  program: HeldProgram,
  about: Omit<CodeRun, 'result'>,
  onEnd: (result: ExecutionResult) => void,
): StartedRun {
  const toEnd = async (): Promise<CodeRun> => {
    const result = await resultOf(program);
    onEnd(result);
    return { ...about, result };
  };
  return { program, ended: toEnd() };
}

async function resultOf(program: HeldProgram): Promise<ExecutionResult> {
  for (;;) {
    // It has no remote tools, so there is nothing to answer.
    const step = await program.next();
    if (step.state === 'ended') return step.result;
  }
}
