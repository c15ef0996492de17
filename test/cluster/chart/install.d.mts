/** The program. */
export declare const HELM: string;
export declare function installHelm(): void;
