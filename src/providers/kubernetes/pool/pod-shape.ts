import { createHash } from 'node:crypto';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { SandboxSpec } from '../../../sandbox/sandbox.ts';
import { POD_VERSION } from '../pod/pod-template.ts';
import type { PodTemplate } from '../pod/pod-types.ts';
import { sandboxPod } from '../pod/sandbox-pod.ts';

/** The same for all pods: each has users of its own. */
const USERS = { sidecar: 1, code: 2 };

/**
 * Whatever pods must have in common to be used for each other, as a value of a label: the template,
 * and with it the image and the runner; the languages and limits; and this package's version of
 * what a host and a pod say to each other.
 * @throws PtcError `SANDBOX_START_FAILED` if the template does not allow the limits.
 */
export function shapeOf(
  spec: SandboxSpec,
  template: PodTemplate,
  guests: readonly Guest[],
): string {
  const withoutSession = { ...spec, sessionId: '' };
  const pod = sandboxPod(withoutSession, { name: '', template, guests, users: USERS });
  return createHash('sha256')
    .update(JSON.stringify([POD_VERSION, pod]))
    .digest('hex')
    .slice(0, 32);
}
