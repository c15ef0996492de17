import { isDeepStrictEqual } from 'node:util';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { SandboxSpec } from '../../../sandbox/sandbox.ts';
import { ANNOTATIONS } from '../pod/pod-template.ts';
import type { Container, PodSpec, PodTemplate } from '../pod/pod-types.ts';
import { type PodUsers, sandboxPod } from '../pod/sandbox-pod.ts';

/** The pods of a warm pool are made from a template, so all have the same users. Hosts choose none of these. */
export const WARM_USERS: PodUsers = { sidecar: 19_998, code: 19_999 };

/** A pod waits until it is claimed: the controller ends those that are too many. */
const UNCLAIMED_SECONDS = 365 * 24 * 3600;

/** The pods of a warm pool, for whichever session claims one. */
export function warmPodSpec(
  spec: SandboxSpec,
  template: PodTemplate,
  guests: readonly Guest[],
): PodSpec {
  const pool = { shape: '', unclaimedSeconds: UNCLAIMED_SECONDS };
  const withoutSession = { ...spec, sessionId: '' };
  const options = { name: '', template, guests, users: WARM_USERS, pool };
  const pod = sandboxPod(withoutSession, options).spec as PodSpec;
  // agent-sandbox lets a claim set annotations of its pod, but only labels of a domain of its own.
  const fieldPath = `metadata.annotations['${ANNOTATIONS.owner}']`;
  const claim = {
    name: 'claim',
    downwardAPI: { items: [{ path: 'session', fieldRef: { fieldPath } }] },
  };
  return {
    ...pod,
    // Users of its own on the node, although all pods name the same: the kernel counts processes by user.
    hostUsers: false,
    volumes: (pod.volumes ?? []).map((volume) => (volume.name === claim.name ? claim : volume)),
  };
}

/** Whether the containers of a pod run the same as those of another. */
export function runsTheSame(one: PodSpec, other: PodSpec): boolean {
  return isDeepStrictEqual(one.containers.map(programOf), other.containers.map(programOf));
}

function programOf({ name, image, command, args, env = [] }: Container): object {
  const values = env.map((variable) => [variable.name, variable.value]);
  return { name, image, command, args, values };
}
