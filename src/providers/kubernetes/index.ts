/**
 * Sandboxes as pods of a Kubernetes cluster.
 * @module sandboxed-ptc/kubernetes
 */
export { kubernetesProvider, type KubernetesProviderOptions } from './kubernetes-provider.ts';
export type { Wall } from './start/connect-pod.ts';
