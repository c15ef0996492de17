import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Cluster } from '../../../../src/providers/kubernetes/cluster/cluster.ts';
import type { Patch } from '../../../../src/providers/kubernetes/keys/key-lease.ts';
import type { PodFacts } from '../../../../src/providers/kubernetes/walls/facts.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { inBackground } from '../../../../src/shared/async/background.ts';
import {
  ANNOTATIONS,
  LABELS,
  POD_VERSION,
} from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import { clusterServedBy, object, refusal, type Answer } from '../cluster/scripted-server.ts';
import { sidecarThatSays } from '../streams/scripted-sidecar.ts';

/** What a test has the server do with a request: first what was asked, or not at all, and then the answer. */
export interface Fault {
  readonly isDone: boolean;
  readonly answer: Answer;
}

const EPOCH = `/metadata/annotations/${ANNOTATIONS.epoch}`;
const PODS = '/api/v1/namespaces/agents/pods';

/** A server that has one persistent pod, whose host is the first. */
export class PodServer {
  readonly path: string = `${PODS}/sandbox-1`;
  /** The number of hosts that the pod has had, or `ended`. */
  epoch = '1';
  isDeleted = false;
  spec: object = { containers: [] };
  phase = 'Running';
  /** What its sidecar says when a host connects. */
  facts: PodFacts | undefined;
  /** The methods of requests, in their order. */
  readonly requests: string[] = [];
  /** What happens to the next requests of a method. */
  readonly faults: Record<string, Fault[]> = {};
  #cluster: Cluster | undefined;

  /** Starts a server. It ends with the test. */
  static async start(): Promise<PodServer> {
    const pods = new PodServer();
    pods.#cluster = await clusterServedBy(
      (request, response) => {
        inBackground(text(request).then((sent) => pods.#answer(request, response, sent)));
      },
      sidecarThatSays(() => pods.facts),
    );
    return pods;
  }

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('The server was not started.');
    return this.#cluster;
  }

  #answer(request: IncomingMessage, response: ServerResponse, sent: string): void {
    const { method = '' } = request;
    this.requests.push(method);
    const fault = this.faults[method]?.shift();
    const answer = fault?.isDone === false ? fault.answer : this.#do(request, sent);
    (fault?.answer ?? answer)(request, response);
  }

  #do({ method, url }: IncomingMessage, sent: string): Answer {
    const pod = this.#pod;
    if (url?.startsWith(`${PODS}?`)) return object({ items: this.isDeleted ? [] : [pod] });
    if (this.isDeleted) return refusal(404, 'NotFound', 'pods "sandbox-1" not found');
    if (method === 'DELETE') this.isDeleted = true;
    if (method !== 'PATCH') return object(pod);
    for (const { op, path, value } of JSON.parse(sent) as Patch) {
      if (path !== EPOCH) continue;
      if (op === 'replace') this.epoch = String(value);
      else if (value !== this.epoch) return refusal(422, 'Invalid', `testing ${path} failed`);
    }
    return object(this.#pod);
  }

  get #pod(): object {
    return {
      metadata: {
        name: 'sandbox-1',
        uid: 'uid-1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { [LABELS.persistent]: 'true', [LABELS.version]: POD_VERSION },
        annotations: {
          [ANNOTATIONS.epoch]: this.epoch,
          [ANNOTATIONS.limits]: JSON.stringify(DEFAULT_LIMITS),
        },
      },
      spec: this.spec,
      status: { phase: this.phase },
    };
  }
}
