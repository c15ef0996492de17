import { existsSync } from 'node:fs';

/** Where a pod has what it needs to use the API server. */
export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether this process is in a pod that may use the API server. */
export function isInPod(): boolean {
  return (
    process.env['KUBERNETES_SERVICE_HOST'] !== undefined && existsSync(`${SERVICE_ACCOUNT}/token`)
  );
}
