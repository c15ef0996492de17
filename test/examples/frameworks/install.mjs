// Installs the frameworks of examples/agent-loops. Some of them need a newer Node than this package.
import { provideNewerNode } from '../../support/newer-node.mjs';
import { pinnedPackages } from '../../support/pinned-packages.mjs';

const PACKAGES = pinnedPackages(import.meta.dirname, 'frameworks');

/** Where they are. */
export const DIRECTORY = PACKAGES.directory;

export default async function setup({ provide }) {
  if (await provideNewerNode(provide)) PACKAGES.install();
}
