import { isRecord } from '../../../shared/guards.ts';
import { LABELS } from '../pod/pod-template.ts';

/** What the metadata of a pod says. */
export interface SeenPod {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** Empty as long as no session has claimed it. */
  readonly session: string;
  readonly shape: string;
  /** When it was made, as the API server writes it. */
  readonly created: string;
}

/** Undefined if it is not an object with metadata. */
export function readSeenPod(object: unknown): SeenPod | undefined {
  const metadata = recordIn(object, 'metadata');
  const labels = recordIn(metadata, 'labels');
  const { name, uid, resourceVersion: version, creationTimestamp: created } = metadata;
  const { [LABELS.session]: session, [LABELS.shape]: shape } = labels;
  const all = { name, uid, version, session, shape, created };
  return isSeenPod(all) ? all : undefined;
}

function isSeenPod(all: Readonly<Record<keyof SeenPod, unknown>>): all is SeenPod {
  return Object.values(all).every((value) => typeof value === 'string');
}

function recordIn(object: unknown, name: string): Record<string, unknown> {
  const value = isRecord(object) ? object[name] : undefined;
  return isRecord(value) ? value : {};
}
