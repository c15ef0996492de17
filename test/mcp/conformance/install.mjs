// Installs the conformance suite of the protocol, which needs a newer Node than this package.
import { join } from 'node:path';
import { NEWER_NODE, nodeRelease } from '../../../scripts/test/node-release.mjs';
import { pinnedPackages } from '../../support/pinned-packages.mjs';

const PACKAGES = pinnedPackages(import.meta.dirname, 'mcp-conformance');
const OLDEST_NODE = 22;

/** The program of the suite. */
export const PROGRAM = join(
  PACKAGES.directory,
  'node_modules/@modelcontextprotocol/conformance/dist/index.js',
);

/** Provides the tests with the Node that runs the suite, or with the reason why there is none. */
export default async function setup({ provide }) {
  try {
    provide('suiteNode', { path: await newerNode() });
  } catch (error) {
    if (process.env.CI) throw error;
    provide('suiteNode', { missing: error.message });
    return;
  }
  PACKAGES.install();
}

async function newerNode() {
  const [major] = process.versions.node.split('.');
  return Number(major) >= OLDEST_NODE
    ? process.execPath
    : join(await nodeRelease(NEWER_NODE), 'node');
}
