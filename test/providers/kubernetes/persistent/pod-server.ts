import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
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
      (request, socket, head) => pods.#connect(request, socket, head),
    );
    return pods;
  }

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('The server was not started.');
    return this.#cluster;
  }

  /** Answers as the sidecar does that has received nothing. */
  #connect(request: IncomingMessage, raw: Duplex, head: Buffer): void {
    const handleProtocols = (): string => 'v5.channel.k8s.io';
    const sockets = new WebSocketServer({ noServer: true, handleProtocols });
    sockets.handleUpgrade(request, raw, head, (socket) => {
      socket.once('message', () => {
        socket.send(outputPacket('F', Buffer.from(JSON.stringify(this.facts))));
        socket.send(outputPacket('W', Buffer.alloc(8)));
      });
    });
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

/** A packet as the standard output of a command. */
function outputPacket(kind: string, body: Buffer): Buffer {
  const start = Buffer.alloc(6);
  start.writeUInt8(1);
  start.write(kind, 1);
  start.writeUInt32BE(body.length, 2);
  return Buffer.concat([start, body]);
}
