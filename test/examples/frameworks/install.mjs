// Installs the frameworks of examples/agent-loops. Some of them need a newer Node than this package.
import { provideNewerNode } from '../../support/newer-node.mjs';
import { PINNED_PACKAGES } from '../../support/pinned-packages.mjs';

const PACKAGES = PINNED_PACKAGES['system-frameworks'];

/** Where they are. */
export const DIRECTORY = PACKAGES.directory;

export default async function setup({ provide }) {
  if (await provideNewerNode(provide)) PACKAGES.install();
}
