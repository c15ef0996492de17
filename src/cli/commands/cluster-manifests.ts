import type { ManifestOptions } from '../../providers/kubernetes/manifests/manifest.ts';
import { manifests } from '../../providers/kubernetes/manifests/manifests.ts';
import { checkName, DEFAULT_TEMPLATE } from '../../providers/kubernetes/pod/names.ts';
import { readRunnerFiles } from '../../providers/kubernetes/pod/runner-files.ts';
import {
  LANGUAGES_EXPECTED,
  parseLanguages,
  parseSize,
  SIZE_EXPECTED,
} from '../../providers/kubernetes/pool/pool-settings.ts';
import { readGuests } from '../../sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../sandbox/sandbox.ts';
import { invalidOption } from '../../shared/options/option-values.ts';

/** How many sandboxes the quota allows. */
const SANDBOXES = 100;

/** The options of the command, as they are written. */
export interface ManifestTexts extends Pick<ManifestOptions, 'namespace' | 'image'> {
  readonly pool: string;
  readonly agentSandbox?: boolean;
  readonly poolLanguages: string;
}

/**
 * Prints the objects that a namespace needs for sandboxes, as one list in JSON. Returns the exit
 * status: 0.
 * @throws PtcError `OPTION_INVALID`
 */
export async function clusterManifests({
  namespace,
  image,
  pool,
  poolLanguages,
  agentSandbox = false,
}: ManifestTexts): Promise<number> {
  checkName('namespace', namespace);
  const size = parseSize(pool);
  if (size === undefined) throw invalidOption('pool', pool, SIZE_EXPECTED);
  const languages = parseLanguages(poolLanguages);
  if (languages === undefined) {
    throw invalidOption('pool-languages', poolLanguages, LANGUAGES_EXPECTED);
  }
  const items = manifests(await readRunnerFiles(), {
    namespace,
    image,
    name: DEFAULT_TEMPLATE,
    limits: DEFAULT_LIMITS,
    sandboxes: SANDBOXES,
    pool: { size, languages },
    ...(agentSandbox && { agentSandbox: { guests: await readGuests() } }),
  });
  const list = { apiVersion: 'v1', kind: 'List', items };
  process.stdout.write(`${JSON.stringify(list, undefined, 2)}\n`);
  return 0;
}
