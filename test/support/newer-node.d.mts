import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of a Node of version 22 or newer, or why there is none. */
    newerNode: { readonly path?: string; readonly missing?: string };
  }
}

/** Provides the tests of a project with `newerNode`. @returns whether there is one. */
export declare function provideNewerNode(provide: TestProject['provide']): Promise<boolean>;
