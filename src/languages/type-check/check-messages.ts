/** Names that one program of a session declares, as a module that later programs import them from. */
export interface DeclaredModule {
  /** Unique in its session. */
  readonly id: number;
  readonly names: readonly string[];
  /** A `.d.ts` text. */
  readonly text: string;
}

/** What the worker is asked. */
export interface CheckRequest {
  readonly code: string;
  /** Whether types are checked; where they are not, only the names are wanted. */
  readonly typed: boolean;
  /** The declarations of the tools. */
  readonly tools: string;
  /** Of each session, a number of its own. */
  readonly session: number;
  readonly modules: readonly DeclaredModule[];
  /** Whether names may be there of which nothing is known. */
  readonly hasUnknownNames: boolean;
}

/** A type error at its place in the program, from 1. */
export interface TypeProblem {
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}

/** What the worker answers; where it has problems, the rest does not matter. */
export interface CheckAnswer {
  readonly problems: readonly TypeProblem[];
  readonly names: readonly string[];
  /** Undefined where the types of the names cannot be told. */
  readonly text: string | undefined;
  /** Names of earlier programs whose types this one makes other than they were. */
  readonly changed: readonly string[];
}
