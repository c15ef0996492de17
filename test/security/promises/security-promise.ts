import type { Place } from '../corpus-case.ts';
import type { ProgramProof, TestProof } from '../cases/security-case.ts';

/** What shows that a sentence is true, or says why nothing can show it. */
export type PromiseProof =
  | ProgramProof
  | TestProof
  /** A script of package.json that measures it or searches for a counterexample. */
  | { readonly script: string; readonly why: string }
  /** A decision of which no test can show that it is kept. The sentence says so itself: "by design", or "no test". */
  | { readonly design: string }
  /** Not a protection: a definition, a weakness that is admitted, a pointer or advice. */
  | { readonly note: string };

/** A sentence of SECURITY.md. */
export interface SecurityPromise {
  /** A part of it that no other sentence has. Line breaks are spaces. */
  readonly sentence: string;
  /** Places for each of which one of the proofs must run there. @default none: the host alone shows it */
  readonly places?: readonly Place[];
  readonly proofs: readonly PromiseProof[];
}

export const ALL_PLACES: readonly Place[] = ['docker', 'bubblewrap', 'embedded'];
export const WITH_SUPERVISOR: readonly Place[] = ['docker', 'bubblewrap'];

/** A sentence that proofs show. */
export function shown(
  sentence: string,
  proofs: readonly PromiseProof[],
  places?: readonly Place[],
): SecurityPromise {
  return { sentence, proofs, ...(places === undefined ? {} : { places }) };
}

/** A sentence that states a decision. */
export function design(
  sentence: string,
  reason: string,
  proofs: readonly PromiseProof[] = [],
): SecurityPromise {
  return { sentence, proofs: [...proofs, { design: reason }] };
}

/** A sentence that promises nothing. */
export function note(sentence: string, reason: string): SecurityPromise {
  return { sentence, proofs: [{ note: reason }] };
}
