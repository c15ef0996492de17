import type * as Deadlines from '../../src/languages/type-check/check-deadlines.ts';

/** Ends a test that hangs. */
const PATIENT_MS = 120_000;

let isPatient = true;

/**
 * For `vi.mock` of `check-deadlines.ts`: on a busy machine, a check may take longer than a program waits for it, and the
 * program then runs unchecked. That is no finding of a test of what a check says.
 */
export async function usePatience(
  load: () => Promise<typeof Deadlines>,
): Promise<typeof Deadlines> {
  const original = await load();
  const deadline = (name: keyof typeof Deadlines): number =>
    isPatient ? PATIENT_MS : original[name];
  return {
    get CHECK_DEADLINE_MS() {
      return deadline('CHECK_DEADLINE_MS') as never;
    },
    get START_DEADLINE_MS() {
      return deadline('START_DEADLINE_MS') as never;
    },
    get MAX_WAIT_MS() {
      return deadline('MAX_WAIT_MS') as never;
    },
  };
}

/** Does work with the deadlines that programs have. */
export async function withoutPatience<Value>(work: () => Promise<Value>): Promise<Value> {
  isPatient = false;
  try {
    return await work();
  } finally {
    isPatient = true;
  }
}
