// Installs the conformance suite of the protocol, which needs a newer Node than this package.
import { join } from 'node:path';
import { provideNewerNode } from '../../support/newer-node.mjs';
import { PINNED_PACKAGES } from '../../support/pinned-packages.mjs';

const PACKAGES = PINNED_PACKAGES['system-mcp-conformance'];

/** The program of the suite. */
export const PROGRAM = join(
  PACKAGES.directory,
  'node_modules/@modelcontextprotocol/conformance/dist/index.js',
);

export default async function setup({ provide }) {
  if (await provideNewerNode(provide)) PACKAGES.install();
}
