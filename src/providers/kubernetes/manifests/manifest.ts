import type { LanguageName } from '../../../protocol/messages.ts';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';

/** What is decided for each installation. */
export interface ManifestOptions {
  readonly namespace: string;
  /** An image with Python 3.9 or newer. */
  readonly image: string;
  /** The name of the template and of all that belongs to it. */
  readonly name: string;
  /** The most that one sandbox may use. */
  readonly limits: ResourceLimits;
  /** How many sandboxes there may be at a time. */
  readonly sandboxes: number;
  /** How many pods hosts keep ready, and the languages of their programs. */
  readonly pool: { readonly size: number; readonly languages: readonly LanguageName[] };
  /** Set if the pods are those of a warm pool of agent-sandbox. @default a PodTemplate */
  readonly agentSandbox?: { readonly guests: readonly Guest[] };
}

/** An object as the API takes it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}
