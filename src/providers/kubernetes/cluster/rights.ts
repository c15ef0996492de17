import { EXTENSIONS, SANDBOXES } from '../agent-sandbox/objects.ts';
import type { Cluster } from './cluster.ts';

interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly group?: string;
}

/** What a host does in the namespace of its sandboxes. */
const NEEDED: readonly Right[] = [
  { verb: 'get', resource: 'pods' },
  { verb: 'list', resource: 'pods' },
  { verb: 'watch', resource: 'pods' },
  { verb: 'patch', resource: 'pods' },
  { verb: 'delete', resource: 'pods' },
  // Which of these two a connection needs depends on the version of the API server.
  { verb: 'create', resource: 'pods', subresource: 'exec' },
  { verb: 'get', resource: 'pods', subresource: 'exec' },
  ...(['create', 'get', 'list', 'watch', 'patch', 'delete'] as const).map((verb) => ({
    verb,
    resource: 'leases',
    group: 'coordination.k8s.io',
  })),
];

const OF_PODS: readonly Right[] = [{ verb: 'create', resource: 'pods' }];
/** The host that keeps a pool follows its template. */
const OF_POOLS: readonly Right[] = [
  { verb: 'list', resource: 'podtemplates' },
  { verb: 'watch', resource: 'podtemplates' },
];
const OF_CLAIMS: readonly Right[] = [
  ...(['create', 'get', 'watch', 'delete'] as const).map((verb) => ({
    verb,
    resource: 'sandboxclaims',
    group: EXTENSIONS,
  })),
  { verb: 'get', resource: 'sandboxes', group: SANDBOXES },
];

/**
 * The rights that this process lacks, such as `create pods/exec`.
 * @throws ApiError
 */
export async function missingRights(
  cluster: Cluster,
  { namespace, claims, pool }: RightsOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answers = await Promise.all(
    [...(claims ? OF_CLAIMS : OF_PODS), ...(pool ? OF_POOLS : []), ...NEEDED].map(async (right) => {
      const body = { spec: { resourceAttributes: { namespace, group: '', ...right } } };
      const review = await cluster.send({ method: 'POST', path, body, signal });
      return { right, allowed: (review as Review).status?.allowed === true };
    }),
  );
  return answers
    .filter(({ allowed }) => !allowed)
    .map(({ right }) => {
      const part = right.subresource === undefined ? '' : `/${right.subresource}`;
      return `${right.verb} ${right.resource}${part}`;
    });
}

interface RightsOptions {
  readonly namespace: string;
  /** Whether pods are those of agent-sandbox. */
  readonly claims: boolean;
  /** Whether hosts keep a pool. */
  readonly pool: boolean;
}

interface Review {
  readonly status?: { readonly allowed?: boolean };
}
