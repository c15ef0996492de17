import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { kubernetesProvider } from '../../../../src/providers/kubernetes/index.ts';
import { missingRights } from '../../../../src/providers/kubernetes/cluster/rights.ts';
import type { Cluster } from '../../../../src/providers/kubernetes/cluster/cluster.ts';
import type { Manifest } from '../../../../src/providers/kubernetes/manifests/manifest.ts';
import { manifests } from '../../../../src/providers/kubernetes/manifests/manifests.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { inBackground } from '../../../../src/shared/async/background.ts';
import { clusterServedBy, object } from './scripted-server.ts';

interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** A server that has one template, and an account that lacks these rights, such as `list podtemplates`. */
async function clusterWithout(
  lacking: readonly string[],
  template?: Manifest,
): Promise<{ readonly cluster: Cluster; readonly asked: Set<string> }> {
  const asked = new Set<string>();
  const cluster = await clusterServedBy((request, response) => {
    const answer = (sent: string): void => {
      if (request.method === 'GET') return object(template ?? {})(request, response);
      const { spec } = JSON.parse(sent) as { spec: { resourceAttributes: Attributes } };
      const { verb, group, resource, subresource } = spec.resourceAttributes;
      const what = subresource === undefined ? resource : `${resource}/${subresource}`;
      asked.add(`${verb} ${group}/${what}`);
      const allowed = !lacking.includes(`${verb} ${what}`);
      object({ status: { allowed } }, 201)(request, response);
    };
    inBackground(text(request).then(answer));
  });
  return { cluster, asked };
}

async function printed(pool: number, agentSandbox: boolean): Promise<readonly Manifest[]> {
  return manifests(await readRunnerFiles(), {
    ...{ namespace: 'agents', image: 'sandbox:1', name: 'sandboxed-ptc', limits: DEFAULT_LIMITS },
    sandboxes: 10,
    pool: { size: pool, languages: ['python'] },
    ...(agentSandbox && { agentSandbox: { guests: await readGuests() } }),
  });
}

/** What the Role of hosts allows, as `clusterWithout` writes it. */
async function givenRights(agentSandbox: boolean): Promise<readonly string[]> {
  const items = await printed(1, agentSandbox);
  const role = items.find(({ kind }) => kind === 'Role');
  const rules = role?.['rules'] as { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  return rules.flatMap(({ apiGroups: [group], resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
  );
}

describe('the Role of hosts', () => {
  it.each([
    // `doctor` reads these objects, instead of asking whether it may.
    [false, ['get /podtemplates']],
    [
      true,
      ['sandboxtemplates', 'sandboxwarmpools'].map(
        (resource) => `get extensions.agents.x-k8s.io/${resource}`,
      ),
    ],
  ])(
    'allows what `doctor` looks for, and no more [kubernetes/rights] (agent-sandbox: %s)',
    async (claims, read) => {
      const { cluster, asked } = await clusterWithout([]);
      await missingRights(cluster, { namespace: 'agents', claims, pool: !claims });
      const expected = [...asked, ...read].toSorted();
      expect((await givenRights(claims)).toSorted()).toEqual(expected);
    },
  );
});

describe('the check of a cluster', () => {
  it.each([
    ['names what a pool needs and the account lacks', 3, 'list podtemplates, watch podtemplates'],
    ['does not mind that if there is no pool', 0, undefined],
  ])('%s', async (_what, size, named) => {
    const template = (await printed(size, false)).find(({ kind }) => kind === 'PodTemplate');
    await clusterWithout(['list podtemplates', 'watch podtemplates'], template);
    const provider = kubernetesProvider({ namespace: 'agents' });
    const found = await provider.probe();
    await provider.close?.();
    const reason = `in the namespace agents, this process may not ${named}`;
    expect(found).toMatchObject(named === undefined ? { usable: true } : { usable: false, reason });
  });
});
