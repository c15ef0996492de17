/** A program of the corpus, which every sandbox runs. */
export interface ProgramProof {
  readonly corpus: string;
}

/** A test: its file from the root, and its title as the file has it. */
export interface TestProof {
  readonly test: string;
  readonly title: string;
}

/** What shows that a case holds, or says that it does not. */
export type Proof =
  | ProgramProof
  | TestProof
  /** It does not apply here, or does not hold by design. */
  | { readonly gap: string }
  /** What nobody has proved yet. */
  | { readonly open: string };

/** A way in which hostile code, or bad luck, could do harm. */
export interface SecurityCase {
  readonly case: number;
  /** What must hold. */
  readonly title: string;
  readonly proofs: readonly Proof[];
}

/** Programs of the corpus. */
export function programs(...paths: readonly string[]): ProgramProof[] {
  return paths.map((corpus) => ({ corpus }));
}

/** Tests of one file. */
export function tests(file: string, ...titles: readonly string[]): TestProof[] {
  return titles.map((title) => ({ test: `test/${file}`, title }));
}

/** Contract tests, which every sandbox runs. @param file - Its path in `src/testing/groups`. */
export function contractTests(file: string, ...titles: readonly string[]): TestProof[] {
  return titles.map((title) => ({ test: `src/testing/groups/${file}`, title }));
}
