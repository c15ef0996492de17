import type { TestProject } from 'vitest/node';

/** The program of the suite. */
export declare const PROGRAM: string;
declare function setup(project: TestProject): Promise<void>;
export default setup;
