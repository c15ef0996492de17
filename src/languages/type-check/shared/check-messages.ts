/**
 * The names that one program of a session declares, as a module from which later programs import
 * them.
 */
export interface DeclaredModule {
  /** Unique in its session. */
  readonly id: number;
  readonly names: readonly string[];
  /** The text of a `.d.ts` file. */
  readonly text: string;
}

/** A request to the compiler. */
export interface CheckRequest {
  readonly code: string;
  /** Whether types are checked. Otherwise, only the names are determined. */
  readonly typed: boolean;
  /** The major version of Node that runs it. @default it is unknown */
  readonly node?: number | undefined;
  /** The declarations of the tools. */
  readonly tools: string;
  /** The number of the session. */
  readonly session: number;
  readonly modules: readonly DeclaredModule[];
  /** Whether there may be names about which nothing is known. */
  readonly hasUnknownNames: boolean;
}

/** A type error with its position in the program, from 1. */
export interface TypeProblem {
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}

/** The compiler's answer. If it has problems, the names, the text and the changes do not matter. */
export interface CheckAnswer {
  /** The first problems, at most `BOUNDS.problems`. */
  readonly problems: readonly TypeProblem[];
  /** The number of all problems. */
  readonly problemCount: number;
  readonly names: readonly string[];
  /** Undefined if the types of the names are unknown. */
  readonly text?: string | undefined;
  /** Names of earlier programs whose types this program changes. */
  readonly changed: readonly string[];
}

/** A message of the compiler's process: one JSON text per line. */
export type CheckReply =
  /** It has loaded the compiler and accepts requests. */
  | { readonly ready: true }
  | { readonly answer: CheckAnswer }
  /** Why there is no answer. */
  | { readonly failure: string }
  /** Why the process ends. */
  | { readonly end: string };

/**
 * The limits of requests and replies. The compiler's process keeps to them, and the host refuses
 * anything else: how much the host keeps of a session, and how long it handles a reply, must not
 * depend on what a program declares.
 */
export const BOUNDS = {
  /** Characters of a program. */
  code: 524_288,
  /** Characters of a reply, as JSON. */
  reply: 1_048_576,
  problems: 20,
  /** Characters of the message of a problem or failure. */
  message: 600,
  /** Names that one program declares or changes. */
  names: 2000,
  /** Characters of a name. */
  name: 200,
  /** Characters of the declarations of one program. The types of longer ones are not kept. */
  declarations: 32_768,
} as const;
