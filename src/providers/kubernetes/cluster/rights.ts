import type { Cluster } from './cluster.ts';

/** What a host does in the namespace of its sandboxes. */
const NEEDED = [
  { verb: 'create', resource: 'pods' },
  { verb: 'get', resource: 'pods' },
  { verb: 'list', resource: 'pods' },
  { verb: 'watch', resource: 'pods' },
  { verb: 'delete', resource: 'pods' },
  // Which of these two a connection needs depends on the version of the API server.
  { verb: 'create', resource: 'pods', subresource: 'exec' },
  { verb: 'get', resource: 'pods', subresource: 'exec' },
  ...(['create', 'get', 'list', 'watch', 'patch', 'delete'] as const).map(
    (verb) => ({ verb, resource: 'leases', group: 'coordination.k8s.io' }) as const,
  ),
] as const;

/**
 * The rights that this process lacks, such as `create pods/exec`.
 * @throws ApiError
 */
export async function missingRights(
  cluster: Cluster,
  namespace: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const answers = await Promise.all(
    NEEDED.map(async (right) => {
      const body = { spec: { resourceAttributes: { namespace, group: '', ...right } } };
      const review = await cluster.send({ method: 'POST', path, body, signal });
      return { right, allowed: (review as Review).status?.allowed === true };
    }),
  );
  return answers
    .filter(({ allowed }) => !allowed)
    .map(({ right }) => {
      const part = 'subresource' in right ? `/${right.subresource}` : '';
      return `${right.verb} ${right.resource}${part}`;
    });
}

interface Review {
  readonly status?: { readonly allowed?: boolean };
}
