/** Names that one program of a session declares, as a module that later programs import them from. */
export interface DeclaredModule {
  /** Unique in its session. */
  readonly id: number;
  readonly names: readonly string[];
  /** A `.d.ts` text. */
  readonly text: string;
}

/** What the compiler is asked. */
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

/** What the compiler answers; if it has problems, the names, the text and the changes do not matter. */
export interface CheckAnswer {
  /** The first ones, at most `BOUNDS.problems`. */
  readonly problems: readonly TypeProblem[];
  /** How many there are in all. */
  readonly problemCount: number;
  readonly names: readonly string[];
  /** Undefined where the types of the names cannot be told. */
  readonly text?: string | undefined;
  /** Names of earlier programs whose types this one makes other than they were. */
  readonly changed: readonly string[];
}

/** What the process of the compiler sends, one JSON text a line. */
export type CheckReply =
  /** It has loaded the compiler and takes requests. */
  | { readonly ready: true }
  | { readonly answer: CheckAnswer }
  /** Why there is no answer. */
  | { readonly failure: string }
  /** Why the process ends. */
  | { readonly end: string };

/**
 * What may be in a request and in a reply. The compiler's process keeps to it, and its host takes nothing else: what
 * the host holds of a session, and how long it is busy with a reply, must not depend on what a program declares.
 */
export const BOUNDS = {
  /** Characters of a program. */
  code: 524_288,
  /** Characters of a reply, as JSON. */
  reply: 1_048_576,
  problems: 20,
  /** Characters of a problem's or a failure's message. */
  message: 600,
  /** Names that one program declares, or that it changes. */
  names: 2000,
  /** Characters of a name. */
  name: 200,
  /** Characters of the declarations of one program; of longer ones no types are kept. */
  declarations: 32_768,
} as const;
