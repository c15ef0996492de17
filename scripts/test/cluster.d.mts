/** What is on the machine of a cluster. */
export interface ClusterRemains {
  readonly files: readonly string[];
  readonly mounts: readonly string[];
  readonly interfaces: readonly string[];
  readonly controlGroups: readonly string[];
  readonly processes: readonly string[];
}
type Variables = Readonly<Record<string, string | undefined>>;
export function whyNoCluster(env?: Variables): string | undefined;
export function clusterTests(env?: Variables): readonly string[];
export function clusterVariables(directory: string, env?: Variables): Variables;
export function clusterRemains(directory: string): ClusterRemains;
export function clusterNumber(directory: string): number;
