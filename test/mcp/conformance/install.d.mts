import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of a Node that can run the suite, or why there is none. */
    suiteNode: { readonly path?: string; readonly missing?: string };
  }
}

/** The program of the suite. */
export declare const PROGRAM: string;
declare function setup(project: TestProject): Promise<void>;
export default setup;
