/** Where the bundle of a program is kept: in a directory of its own, beside the files that it loads later. */
export declare function bundlePath(program: string): string;
