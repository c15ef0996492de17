/** The program. */
export declare const HELM: string;
declare function setup(): void;
export default setup;
