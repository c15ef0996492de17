import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ClusterApi, type Pod } from '../api.ts';
import { killServer } from '../kill-server.ts';
import { runScript, SCRIPT_ENVIRONMENT } from '../run-script.ts';
import { readRemains, type Remains } from './remains.ts';

/** A cluster of a test's own, and what was on the machine before it. */
export class OwnCluster {
  readonly before: Remains;
  readonly directory: string;
  /** Without the bridge, nothing says whose the interfaces of pods are. */
  readonly #interfaces = new Set<string>();
  readonly #environment: Readonly<Record<string, string>>;

  /** @param parent - A temporary directory. */
  constructor(parent: string) {
    this.directory = join(parent, 'cluster');
    this.#environment = { SANDBOXED_PTC_CLUSTER_DIRECTORY: this.directory };
    this.before = readRemains(this.directory);
  }

  async run(...args: readonly string[]): Promise<string> {
    return runScript(args, this.#environment);
  }

  spawn(...args: readonly string[]): ChildProcess {
    const env = { ...process.env, ...this.#environment };
    return spawn('scripts/test-cluster.sh', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  now(): Remains {
    const remains = readRemains(this.directory);
    for (const name of remains.interfaces) this.#interfaces.add(name);
    const interfaces = [...this.#interfaces].filter((name) => existsSync(`/sys/class/net/${name}`));
    return { ...remains, interfaces };
  }

  /** As `killServer`. */
  kill(program: string): void {
    killServer(this.directory, program);
  }
}

/** It ends with the test, or with this process, even if that is killed: then the pipe closes. */
export async function ownCluster(): Promise<OwnCluster> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'own-cluster-')));
  const cluster = new OwnCluster(parent);
  const stop = spawn('sh', ['-c', 'cat >/dev/null; exec scripts/test-cluster.sh stop'], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
    env: { ...SCRIPT_ENVIRONMENT, SANDBOXED_PTC_CLUSTER_DIRECTORY: cluster.directory },
  });
  const stopped = once(stop, 'exit');
  onTestFinished(async () => {
    stop.stdin.end();
    await stopped;
    await rm(parent, { recursive: true });
  });
  return cluster;
}

/** Starts it, until its servers start. */
export async function beginStart(cluster: OwnCluster): Promise<ChildProcess> {
  const start = cluster.spawn('start');
  await expect.poll(() => existsSync(join(cluster.directory, 'logs/etcd.log'))).toBe(true);
  return start;
}

/** Starts a pod, so that there is something of each kind to remove. */
export async function startPod(cluster: OwnCluster): Promise<void> {
  const api = new ClusterApi(join(cluster.directory, 'credentials/admin.kubeconfig'));
  const pods = '/api/v1/namespaces/default/pods';
  const name = `idle-${randomUUID()}`;
  const container = {
    name: 'idle',
    image: 'sandboxed-ptc-pause:test',
    imagePullPolicy: 'Never',
    volumeMounts: [{ name: 'memory', mountPath: '/memory' }],
  };
  const volumes = [{ name: 'memory', emptyDir: { medium: 'Memory' } }];
  const spec = { containers: [container], volumes };
  await api.send('POST', pods, { metadata: { name }, spec });
  const phase = async (): Promise<string> =>
    ((await api.send('GET', `${pods}/${name}`)) as Pod).status.phase;
  await expect.poll(phase).toBe('Running');
}
