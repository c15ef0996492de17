/** A place in this process where data of a program, or of its model, waits for somebody else's pace. */
export interface WaitingPlace {
  /** The tests that fill it, or send more than its bound, have the tag `waiting/` and this id. */
  readonly id: string;
  /** What waits, and for whom. */
  readonly what: string;
  /** The options and constants that bound its bytes, each as a name in a file of `src` or `examples`. */
  readonly bounds: readonly Bound[];
  /** The fields of `src` that hold it: the file, then the names. */
  readonly fields: readonly string[];
}

export interface Bound {
  readonly name: string;
  readonly file: string;
}

/** Constants and options in one file. */
export function bound(file: string, ...names: readonly string[]): Bound[] {
  return names.map((name) => ({ name, file }));
}

/** Budgets of one program. */
export function budgets(...names: readonly string[]): Bound[] {
  return bound('src/execution/limits/execution-budgets.ts', ...names);
}
