/**
 * Sandboxes by bubblewrap.
 * @module sandboxed-ptc/bubblewrap
 */
export { bubblewrapProvider } from './bubblewrap-provider.ts';
export type { BubblewrapProviderOptions } from './interpreters/options.ts';
