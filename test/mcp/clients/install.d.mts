import type { TestProject } from 'vitest/node';

/** The program of the client, which is told what to do by its command line. */
export declare const INSPECTOR: string;
/** The program of the server. */
export declare const FILESYSTEM_SERVER: string;
declare function setup(project: TestProject): Promise<void>;
export default setup;
