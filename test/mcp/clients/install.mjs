// Installs a client and a server that others wrote. The client needs a newer Node than this package.
import { join } from 'node:path';
import { provideNewerNode } from '../../support/newer-node.mjs';
import { PINNED_PACKAGES } from '../../support/pinned-packages.mjs';

const PACKAGES = PINNED_PACKAGES['system-mcp-clients'];
const OFFICIAL = join(PACKAGES.directory, 'node_modules/@modelcontextprotocol');

/** The program of the client, which is told what to do by its command line. */
export const INSPECTOR = join(OFFICIAL, 'inspector/clients/launcher/build/index.js');

/** The program of the server. */
export const FILESYSTEM_SERVER = join(OFFICIAL, 'server-filesystem/dist/index.js');

export default async function setup({ provide }) {
  if (await provideNewerNode(provide)) PACKAGES.install();
}
