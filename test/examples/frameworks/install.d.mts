import type { TestProject } from 'vitest/node';

/** Where the frameworks are, by what is installed. */
export declare const DIRECTORY: string;
declare function setup(project: TestProject): Promise<void>;
export default setup;
