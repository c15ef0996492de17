/** Where version 7 of the AI SDK is, by what is installed. */
export declare const DIRECTORY: string;
declare function setup(): void;
export default setup;
