import { isDeepStrictEqual } from 'node:util';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { SandboxSpec } from '../../../sandbox/sandbox.ts';
import { PtcError } from '../../../shared/errors.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodTemplate } from '../pod/pod-types.ts';
import { checkTemplate } from '../pod/read-template.ts';
import { readSpec } from '../pool/pool-settings.ts';
import { extensionsPath, type SandboxTemplate, type SandboxWarmPool } from './objects.ts';
import { runsTheSame, warmPodSpec } from './warm-pod.ts';

const REMEDY =
  'Apply what `npx sandboxed-ptc cluster manifests --agent-sandbox` of this version prints';

/**
 * Reads the template of a warm pool, and checks that it is one of this version and weakens no wall.
 * @throws PtcError `SANDBOX_UNAVAILABLE`, or ApiError.
 */
export async function readWarmPool(
  cluster: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal?: AbortSignal,
): Promise<PodTemplate> {
  const get = async (path: string): Promise<unknown> =>
    cluster.send({ method: 'GET', path, signal });
  const pool = await get(`${extensionsPath(namespace, 'sandboxwarmpools')}/${name}`);
  const { sandboxTemplateRef } = (pool as SandboxWarmPool).spec;
  const templates = extensionsPath(namespace, 'sandboxtemplates');
  const read = (await get(`${templates}/${sandboxTemplateRef.name}`)) as SandboxTemplate;
  const template = { metadata: read.metadata, template: read.spec.podTemplate };
  checkTemplate(template);
  checkNetworkPolicy(read);
  return template;
}

/** Without `networkPolicy`, agent-sandbox lets pods reach the internet. @throws PtcError `SANDBOX_UNAVAILABLE` */
function checkNetworkPolicy({ metadata: { name }, spec }: SandboxTemplate): void {
  const { networkPolicy, networkPolicyManagement = 'Managed' } = spec;
  const { ingress = [], egress = [] } = networkPolicy ?? {};
  const allowsNothing = networkPolicy !== undefined && ingress.length + egress.length === 0;
  if (allowsNothing && networkPolicyManagement === 'Managed') return;
  const what =
    networkPolicyManagement === 'Managed'
      ? `networkPolicy is ${JSON.stringify(networkPolicy) ?? 'not set'}, not {}`
      : `networkPolicyManagement is ${networkPolicyManagement}, not Managed`;
  throw new PtcError(
    'SANDBOX_UNAVAILABLE',
    `The SandboxTemplate ${name} weakens what isolates programs: ${what}. ${REMEDY}.`,
    { details: { template: name, walls: ['network'] } },
  );
}

/**
 * Checks that the pods of a warm pool are what a session asks for: they run before it does.
 * @throws PtcError `SANDBOX_START_FAILED` if the session asks for something else,
 * `SANDBOX_UNAVAILABLE` if the template does not have what its annotations say.
 */
export function checkFit(spec: SandboxSpec, template: PodTemplate, guests: readonly Guest[]): void {
  const { name } = template.metadata;
  if (spec.persistent !== undefined) {
    throw new PtcError(
      'SANDBOX_START_FAILED',
      'A persistent session cannot have a pod of a warm pool, whose pods end with their host. Use a PodTemplate for it, with the option template of kubernetesProvider.',
      { details: { template: name } },
    );
  }
  const pool = readSpec(template);
  for (const [option, has, asked] of [
    ['languages', pool.languages, spec.languages],
    ['limits', pool.limits, spec.limits],
  ] as const) {
    if (isDeepStrictEqual(has, asked)) continue;
    throw new PtcError(
      'SANDBOX_START_FAILED',
      `The pods of the warm pool have ${option} ${JSON.stringify(has)}, and the executor asks for ${JSON.stringify(asked)}. Ask for what the pool has, or use a pool with another SandboxTemplate.`,
      { details: { template: name, option } },
    );
  }
  if (runsTheSame(template.template.spec, warmPodSpec(spec, template, guests))) return;
  throw new PtcError(
    'SANDBOX_UNAVAILABLE',
    `The containers of the SandboxTemplate ${name} do not run what this version needs. ${REMEDY}.`,
    { details: { template: name } },
  );
}
