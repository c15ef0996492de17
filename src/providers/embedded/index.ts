/**
 * Sandboxes by Deno and Pyodide.
 * @module sandboxed-ptc/embedded
 */
export { embeddedProvider, type EmbeddedProviderOptions } from './embedded-provider.ts';
export type { Wheel } from './wheels.ts';
