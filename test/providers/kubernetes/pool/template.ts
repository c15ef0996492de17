import { templateSpec } from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { PodTemplate } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';

/** The template of `cluster manifests`, as an API server has it. */
export async function templateWith(
  annotations: Readonly<Record<string, string>>,
  { image = 'sandbox:1', uid = 'uid-1' } = {},
): Promise<PodTemplate> {
  const files = await readRunnerFiles();
  const metadata = { name: 'sandboxed-ptc', uid, resourceVersion: '1', annotations };
  return {
    metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
    template: { spec: templateSpec({ image, files, limits: DEFAULT_LIMITS }) },
  };
}
