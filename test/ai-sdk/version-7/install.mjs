// Installs version 7 of the AI SDK for its tests. It asks for a newer Node than it needs, so it is not among the development
// packages of this one, which Node 20 must be able to install.
import { PINNED_PACKAGES } from '../../support/pinned-packages.mjs';

const PACKAGES = PINNED_PACKAGES['system-ai-sdk-7'];

/** Where it is, below the cache of this package, by what is installed. */
export const DIRECTORY = PACKAGES.directory;

export default PACKAGES.install;
