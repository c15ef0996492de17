import type { ClusterApi } from '../api.ts';

// The fields of agent-sandbox's objects that this package and the controller of the tests use, as
// v0.5.6 of agent-sandbox defines them. The API server drops all others.

const TEXTS = { type: 'object', additionalProperties: { type: 'string' } };
const NAMED = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const CONDITIONS = { type: 'array', items: ANYTHING };
const CREATED = 201;
const CONFLICT = 409;
const EXTENSIONS = 'extensions.agents.x-k8s.io';

function object(properties: object, required: readonly string[] = []): object {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

const CLAIM = object(
  {
    warmPoolRef: NAMED,
    lifecycle: object({
      shutdownPolicy: {
        type: 'string',
        enum: ['Delete', 'DeleteForeground', 'Retain'],
        default: 'Retain',
      },
      shutdownTime: { type: 'string', format: 'date-time' },
      ttlSecondsAfterFinished: { type: 'integer', format: 'int32', minimum: 0 },
    }),
    additionalPodMetadata: object({ labels: TEXTS, annotations: TEXTS }),
  },
  ['warmPoolRef'],
);
const TEMPLATE = object(
  {
    podTemplate: object(
      { metadata: object({ labels: TEXTS, annotations: TEXTS }), spec: ANYTHING },
      ['spec'],
    ),
    networkPolicy: object({
      ingress: { type: 'array', items: ANYTHING },
      egress: { type: 'array', items: ANYTHING },
    }),
    networkPolicyManagement: {
      type: 'string',
      enum: ['Managed', 'Unmanaged'],
      default: 'Managed',
    },
  },
  ['podTemplate'],
);
const POOL = object(
  {
    replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1 },
    sandboxTemplateRef: NAMED,
    updateStrategy: object({
      type: { type: 'string', enum: ['Recreate', 'OnReplenish'], default: 'OnReplenish' },
    }),
  },
  ['sandboxTemplateRef'],
);
const CLAIM_STATUS = object({
  conditions: CONDITIONS,
  sandbox: object({
    name: { type: 'string' },
    podIPs: { type: 'array', items: { type: 'string' } },
  }),
});

interface Definition {
  readonly metadata: { readonly name: string; readonly annotations: object };
  readonly [field: string]: unknown;
}

/**
 * Defines the objects of agent-sandbox in a cluster. They stay: after each change of what there is, the cluster counts no
 * quotas for up to half a minute.
 */
export async function defineAgentSandbox(admin: ClusterApi): Promise<void> {
  const definitions = [
    definition(EXTENSIONS, 'SandboxClaim', CLAIM, CLAIM_STATUS),
    definition(EXTENSIONS, 'SandboxTemplate', TEMPLATE),
    definition(EXTENSIONS, 'SandboxWarmPool', POOL),
    definition('agents.x-k8s.io', 'Sandbox', ANYTHING),
  ];
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const one of definitions) {
    const { status, body } = await admin.request('POST', path, one);
    // An earlier run with the same cluster has defined it.
    if (status !== CREATED && status !== CONFLICT) throw new Error(body);
  }
}

function definition(
  group: string,
  kind: string,
  spec: object,
  status: object = ANYTHING,
): Definition {
  const singular = kind.toLowerCase();
  const plural = kind === 'Sandbox' ? 'sandboxes' : `${singular}s`;
  const name = 'v1beta1';
  const openAPIV3Schema = object({ spec, status });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // The API server wants to be told of a review for groups of its own project.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, in a cluster for tests' },
    },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, singular, plural },
      scope: 'Namespaced',
      versions: [
        {
          name,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema },
        },
      ],
    },
  };
}
