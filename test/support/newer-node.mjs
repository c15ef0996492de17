// A Node for packages that this package's own oldest Node cannot run.
import { join } from 'node:path';
import { NEWER_NODE, nodeRelease } from '../../scripts/test/node-release.mjs';

const OLDEST_NODE = 22;

/**
 * Provides the tests of a project, as `newerNode`, with a Node of version 22 or newer, or with the reason why there is none.
 * @param provide - Of the project.
 * @returns whether there is one.
 * @throws if there is none, and the tests must not be skipped.
 */
export async function provideNewerNode(provide) {
  try {
    provide('newerNode', { path: await newerNode() });
    return true;
  } catch (error) {
    if (process.env.CI) throw error;
    provide('newerNode', { missing: error.message });
    return false;
  }
}

async function newerNode() {
  const [major] = process.versions.node.split('.');
  return Number(major) >= OLDEST_NODE
    ? process.execPath
    : join(await nodeRelease(NEWER_NODE), 'node');
}
