import type { Metadata, PodTemplate } from '../pod/pod-types.ts';

// The parts of agent-sandbox's objects that this provider writes or reads. See
// https://github.com/kubernetes-sigs/agent-sandbox.

/** Of templates, pools and claims. */
export const EXTENSIONS = 'extensions.agents.x-k8s.io';
export const EXTENSIONS_VERSION: string = `${EXTENSIONS}/v1beta1`;
/** Of the sandboxes that the controller makes for pools and claims. */
export const SANDBOXES = 'agents.x-k8s.io';

/** On a Sandbox: the name of its pod, if that is not its own. */
export const POD_NAME: string = `${SANDBOXES}/pod-name`;

/** The path of all objects of a kind in a namespace. */
export function extensionsPath(
  namespace: string,
  plural: 'sandboxclaims' | 'sandboxtemplates' | 'sandboxwarmpools',
): string {
  return `/apis/${EXTENSIONS_VERSION}/namespaces/${namespace}/${plural}`;
}

export function sandboxPath(namespace: string, name: string): string {
  return `/apis/${SANDBOXES}/v1beta1/namespaces/${namespace}/sandboxes/${name}`;
}

export interface SandboxWarmPool {
  readonly metadata: Metadata;
  readonly spec: { readonly sandboxTemplateRef: { readonly name: string } };
}

export interface SandboxTemplate {
  readonly metadata: Metadata;
  readonly spec: {
    readonly podTemplate: PodTemplate['template'];
    readonly networkPolicy?: {
      readonly ingress?: readonly unknown[];
      readonly egress?: readonly unknown[];
    };
    readonly networkPolicyManagement?: string;
  };
}

/** What the controller says of a claim. */
export interface SandboxClaim {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly sandbox?: { readonly name?: string };
  };
}
