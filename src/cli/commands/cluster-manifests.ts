import { type ManifestOptions, manifests } from '../../providers/kubernetes/manifests/manifests.ts';
import { checkName, DEFAULT_TEMPLATE } from '../../providers/kubernetes/pod/names.ts';
import { readRunnerFiles } from '../../providers/kubernetes/pod/runner-files.ts';
import { DEFAULT_LIMITS } from '../../sandbox/sandbox.ts';

/** How many sandboxes the quota allows. */
const SANDBOXES = 100;

/**
 * Prints the objects that a namespace needs for sandboxes, as one list in JSON. Returns the exit
 * status: 0.
 * @throws PtcError `OPTION_INVALID`
 */
export async function clusterManifests(
  options: Pick<ManifestOptions, 'namespace' | 'image'>,
): Promise<number> {
  checkName('namespace', options.namespace);
  const items = manifests(await readRunnerFiles(), {
    ...options,
    name: DEFAULT_TEMPLATE,
    limits: DEFAULT_LIMITS,
    sandboxes: SANDBOXES,
  });
  const list = { apiVersion: 'v1', kind: 'List', items };
  process.stdout.write(`${JSON.stringify(list, undefined, 2)}\n`);
  return 0;
}
