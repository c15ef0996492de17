import { changesOf } from '../../../src/providers/kubernetes/cluster/watch.ts';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { follow } from '../../../src/providers/kubernetes/cluster/follow.ts';
import type { ClusterApi } from '../api.ts';

const EXTENSIONS = '/apis/extensions.agents.x-k8s.io/v1beta1';
const CLAIM_UID = 'agents.x-k8s.io/claim-uid';

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string };
}
interface Claim extends Named {
  readonly spec: {
    readonly warmPoolRef: { readonly name: string };
    readonly additionalPodMetadata?: { readonly annotations?: Record<string, string> };
  };
}
interface Pool extends Named {
  readonly spec: {
    readonly replicas: number;
    readonly sandboxTemplateRef: { readonly name: string };
  };
}
interface Template {
  readonly spec: { readonly podTemplate: { readonly metadata: object; readonly spec: object } };
}
interface RunningPod {
  readonly status?: {
    readonly containerStatuses?: readonly { readonly state?: { readonly running?: object } }[];
  };
}

/** What the tests change in what the controller does. */
export interface ControllerOptions {
  readonly namespace: string;
  /** The condition of each claim, in place of a pod. @default a pod */
  readonly refuse?: { readonly reason: string; readonly message: string };
}

/**
 * Does with the claims of a namespace what agent-sandbox's controller does: keeps a warm pool, gives
 * each claim a Sandbox of it or else makes one, puts the claim's annotations on the pod, says so in
 * the claim's status, and removes the pod with the claim.
 * @returns what ends it.
 */
export async function startController(
  admin: ClusterApi,
  { namespace, refuse }: ControllerOptions,
): Promise<() => Promise<void>> {
  const cluster = await Cluster.find({ context: undefined });
  const closing = new AbortController();
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const sandboxes = `/apis/agents.x-k8s.io/v1beta1/namespaces/${namespace}/sandboxes`;
  const extensions = `${EXTENSIONS}/namespaces/${namespace}`;
  const warm: string[] = [];
  const claimed = new Map<string, string>();
  let count = 0;

  const { items } = (await admin.send('GET', `${extensions}/sandboxwarmpools`)) as {
    items: Pool[];
  };
  for (const pool of items) {
    for (let number = 0; number < pool.spec.replicas; number += 1) {
      const name = await makeSandbox(pool);
      await untilRunning(name);
      warm.push(name);
    }
  }
  const following = followClaims();
  return async () => {
    closing.abort();
    await following;
    cluster.close();
  };

  /** A Sandbox and its pod, of the same name. */
  async function makeSandbox(pool: Pool): Promise<string> {
    const name = `${pool.metadata.name}-${(count += 1)}`;
    const path = `${extensions}/sandboxtemplates/${pool.spec.sandboxTemplateRef.name}`;
    const { spec } = (await admin.send('GET', path)) as Template;
    const { podTemplate } = spec;
    const body = { metadata: { name }, spec: { podTemplate } };
    const kind = { apiVersion: 'agents.x-k8s.io/v1beta1', kind: 'Sandbox' };
    const { metadata } = (await admin.send('POST', sandboxes, { ...kind, ...body })) as Named;
    const ownerReferences = [{ ...kind, name, uid: metadata.uid, controller: true }];
    await admin.send('POST', pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...podTemplate.metadata, name, ownerReferences },
      spec: podTemplate.spec,
    });
    return name;
  }

  async function untilRunning(name: string): Promise<void> {
    for await (const pod of changesOf(cluster, { list: pods, name }, closing.signal)) {
      const { containerStatuses = [] } = (pod as RunningPod).status ?? {};
      const running = containerStatuses.filter(({ state }) => state?.running !== undefined);
      if (running.length === 2) return;
    }
  }

  async function followClaims(): Promise<void> {
    const list = `${extensions}/sandboxclaims`;
    for await (const seen of follow(cluster, { list, select: {} }, closing.signal)) {
      const objects = seen.type === 'all' ? seen.objects : 'object' in seen ? [seen.object] : [];
      for (const claim of objects as readonly Claim[]) {
        if (seen.type === 'gone') await release(claim);
        else if (!claimed.has(claim.metadata.uid)) await give(claim);
      }
    }
  }

  async function give({ metadata, spec }: Claim): Promise<void> {
    claimed.set(metadata.uid, '');
    const status = `${extensions}/sandboxclaims/${metadata.name}/status`;
    const lastTransitionTime = new Date().toISOString();
    if (refuse !== undefined) {
      const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime, ...refuse }];
      await admin.send('PATCH', status, { status: { conditions } });
      return;
    }
    const path = `${extensions}/sandboxwarmpools/${spec.warmPoolRef.name}`;
    const name = warm.shift() ?? (await makeSandbox((await admin.send('GET', path)) as Pool));
    claimed.set(metadata.uid, name);
    await untilRunning(name);
    const { annotations = {} } = spec.additionalPodMetadata ?? {};
    const labels = { [CLAIM_UID]: metadata.uid };
    await admin.send('PATCH', `${pods}/${name}`, { metadata: { labels, annotations } });
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'DependenciesReady',
      message: 'Pod is Ready',
    };
    const conditions = [{ ...ready, lastTransitionTime }];
    await admin.send('PATCH', status, { status: { conditions, sandbox: { name } } });
  }

  async function release({ metadata }: Claim): Promise<void> {
    const name = claimed.get(metadata.uid) ?? '';
    if (name === '') return;
    await admin.request('DELETE', `${sandboxes}/${name}`);
    await admin.request('DELETE', `${pods}/${name}`);
  }
}
