// Bare pods: the floor of what this package does with pods.

import { randomUUID } from 'node:crypto';
import { createDeferred } from '../../dist/shared/async/deferred.js';
import { execChannel } from '../../dist/providers/kubernetes/cluster/exec-channel.js';
import { CODE, SIDECAR } from '../../dist/providers/kubernetes/pod/pod-template.js';
import { waitUntilRunning } from '../../dist/providers/kubernetes/start/wait-until-running.js';
import { Echo } from '../echo.mjs';

const ECHO = 'import os\nwhile data := os.read(0, 1 << 20): os.write(1, data)';
const ONE_BYTE = 'import os; os.write(1, b"1")';
const START_MS = 60_000;
const SECURITY = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  runAsUser: 20_000,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A pod with sleeping containers. `remove` it. */
export class BarePod {
  #cluster;
  #namespace;
  #path;

  constructor(cluster, namespace) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.name = `bare-${randomUUID()}`;
    this.uid = '';
    this.#path = `/api/v1/namespaces/${namespace}/pods/${this.name}`;
  }

  /** Makes it, and waits until it runs. It has two containers with the names of those of a sandbox, for which that waits. */
  async start(image) {
    const resources = {
      requests: { memory: '16Mi', cpu: '10m' },
      limits: { memory: '64Mi', cpu: '500m' },
    };
    const containers = [CODE, SIDECAR].map((name) => ({
      ...{ name, image, resources, command: ['sleep', '100000'], securityContext: SECURITY },
    }));
    const spec = { containers, terminationGracePeriodSeconds: 0, restartPolicy: 'Never' };
    const body = {
      metadata: { name: this.name },
      spec: { ...spec, automountServiceAccountToken: false },
    };
    const path = `/api/v1/namespaces/${this.#namespace}/pods`;
    const { metadata } = await this.#cluster.send({ method: 'POST', path, body });
    this.uid = metadata.uid;
    const waiting = { namespace: this.#namespace, name: this.name, startMs: START_MS };
    await waitUntilRunning(this.#cluster, waiting);
    return this;
  }

  /** Changes one annotation. */
  async patch() {
    const body = [
      { op: 'test', path: '/metadata/name', value: this.name },
      { op: 'add', path: '/metadata/annotations', value: { round: randomUUID() } },
    ];
    await this.#cluster.send({ method: 'PATCH', path: this.#path, body });
  }

  /** Waits for the first byte of a command that starts an interpreter, as a relay does. */
  async firstByte() {
    const arrived = createDeferred();
    const channel = await this.#exec(ONE_BYTE, (bytes) => {
      // An empty message opens each stream, before the command runs.
      if (bytes.length > 0) arrived.resolve();
    });
    await arrived.promise;
    channel.close();
  }

  /** An echo through a command. `close` it. */
  async echo() {
    const echo = new Echo((text) => channel.write(Buffer.from(text)));
    const channel = await this.#exec(ECHO, (bytes) => echo.receive(bytes));
    return { echo, close: () => channel.close() };
  }

  async remove() {
    await this.#cluster.send({ method: 'DELETE', path: this.#path });
  }

  async #exec(code, data) {
    const command = ['python3', '-I', '-S', '-B', '-c', code];
    const [namespace, pod, container] = [this.#namespace, this.name, CODE];
    const open = execChannel(this.#cluster, { namespace, pod, container, command });
    return open({ data, closed: () => {} }, AbortSignal.timeout(START_MS));
  }
}
