import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStreams } from '../../src/protocol/stream-transport.ts';
import { Cluster } from '../../src/providers/kubernetes/cluster/cluster.ts';
import { execChannel } from '../../src/providers/kubernetes/cluster/exec-channel.ts';
import { ResumableStreams } from '../../src/providers/kubernetes/streams/resumable-streams.ts';
import { precompiledRunnerCommand, readRunnerSource } from '../../src/sandbox/runner-command.ts';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../../src/sandbox/sandbox.ts';

const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const MODULES = join(import.meta.dirname, '../../runner/sidecar');
const [SIDECAR, CODE] = [30_001, 30_002];
const SOCKET = '/run/sidecar/relays';

/**
 * Runners in pods, as processes of the image behind a sidecar. A test double of a provider: nothing
 * checks that such a pod isolates, so it runs only the programs of tests.
 */
export class SandboxPods implements SandboxProvider {
  readonly name = 'pods';
  readonly languages = ['python'] as const;
  readonly #cluster: Cluster;
  readonly #image: string;
  readonly #modules = `sidecar-${randomUUID()}`;

  private constructor(cluster: Cluster, image: string) {
    this.#cluster = cluster;
    this.#image = image;
  }

  static async inCluster(image: string): Promise<SandboxPods> {
    const pods = new SandboxPods(await Cluster.find({}), image);
    const files = readdirSync(MODULES).filter((name) => name.endsWith('.py'));
    const data = Object.fromEntries(
      files.map((name) => [name, readFileSync(join(MODULES, name), 'utf8')]),
    );
    const metadata = { name: pods.#modules };
    await pods.#cluster.send({ method: 'POST', path: MAPS, body: { metadata, data } });
    return pods;
  }

  async probe(): Promise<{ usable: true; description: string }> {
    return { usable: true, description: 'pods of the tests' };
  }

  async create(spec: SandboxSpec): Promise<Sandbox> {
    const name = `sandbox-${randomUUID()}`;
    await this.#cluster.send({ method: 'POST', path: PODS, body: await this.#pod(name, spec) });
    const target = { namespace: 'default', pod: name, container: 'sidecar' };
    const open = execChannel(this.#cluster, { ...target, command: module('relay', SOCKET) });
    const sandbox = { id: name, close: async (): Promise<void> => this.#remove(name) };
    try {
      // Its containers are started meanwhile: until then, no command can be.
      const streams = await ResumableStreams.connect({
        open,
        epoch: 1,
        patienceMs: 60_000,
        onEnd: (error) => transport.end(error),
      });
      const transport = connectStreams(streams);
      return { ...sandbox, transport };
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#cluster.send({ method: 'DELETE', path: `${MAPS}/${this.#modules}` });
    this.#cluster.close();
  }

  async #remove(name: string): Promise<void> {
    await this.#cluster.send({ method: 'DELETE', path: `${PODS}/${name}` });
  }

  async #pod(name: string, spec: SandboxSpec): Promise<unknown> {
    const runner = precompiledRunnerCommand(await readRunnerSource(), spec);
    const container = (own: string, user: number, command: readonly string[]): object => ({
      name: own,
      image: this.#image,
      imagePullPolicy: 'Never',
      command,
      securityContext: { runAsUser: user, runAsGroup: user },
      volumeMounts: [
        { name: 'modules', mountPath: '/opt/sidecar/sidecar' },
        own === 'sidecar'
          ? { name: 'sockets', mountPath: '/run/sidecar' }
          : { name: 'temporary', mountPath: '/tmp' },
      ],
    });
    return {
      metadata: { name },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        containers: [
          container('sidecar', SIDECAR, module('main', 'streams', String(CODE), SOCKET, '30')),
          container('code', CODE, module('start_runner', 'streams', String(SIDECAR), ...runner)),
        ],
        volumes: [
          { name: 'modules', configMap: { name: this.#modules } },
          { name: 'sockets', emptyDir: { medium: 'Memory' } },
          { name: 'temporary', emptyDir: { medium: 'Memory' } },
        ],
      },
    };
  }
}

function module(name: string, ...args: readonly string[]): readonly string[] {
  const script = `import sys; sys.path.insert(0, "/opt/sidecar"); from sidecar.${name} import main; main(sys.argv[1:])`;
  return ['python3', '-I', '-S', '-B', '-c', script, ...args];
}
