import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { clusterNumber } from '../../scripts/test/cluster.mjs';
import { Cluster } from '../../src/providers/kubernetes/cluster/cluster.ts';
import { execChannel } from '../../src/providers/kubernetes/cluster/exec-channel.ts';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import type { Manifest } from '../../src/providers/kubernetes/manifests/manifest.ts';
import { SIDECAR } from '../../src/providers/kubernetes/pod/pod-template.ts';
import type { Pod } from '../../src/providers/kubernetes/pod/pod-types.ts';
import { relayCommand } from '../../src/providers/kubernetes/pod/sandbox-pod.ts';
import { ResumableStreams } from '../../src/providers/kubernetes/streams/resumable-streams.ts';
import { readFacts } from '../../src/providers/kubernetes/walls/facts.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi, type Pod as ReadPod } from './api.ts';
import { install, useNamespace } from './installed.ts';
import { killInContainer } from './kill-server.ts';
import { startPolicyEngine } from './policy-engine.ts';
import { podsIn, untilReady } from './pool/pool.ts';

const run = promisify(execFile);
const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
/** In the network of the pods, and at the end of it, so that no pod gets it. */
const ADDRESS = '10.244.250.250';
const HARDWARE_ADDRESS = '02:00:00:00:00:01';
const KUBELET_PORT = 10_250;
const SPEC = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;

/** The same template, whose sidecar takes an address that pods may reach for that of the node. */
function onReachableNode(manifest: Manifest): Manifest {
  if (manifest.kind !== 'PodTemplate') return manifest;
  const changed: Manifest = structuredClone(manifest);
  const { spec } = changed['template'] as {
    spec: { containers: { name: string; command: string[] }[] };
  };
  for (const { name, command } of spec.containers) {
    if (name !== 'sidecar') continue;
    const bootstrap = command.indexOf('-c') + 1;
    command[bootstrap] =
      `import os\nos.environ["NODE_ADDRESS"] = "${ADDRESS}"\n${command[bootstrap]}`;
  }
  return changed;
}

/** Gives the bridge of the pods an address, at which a server listens. */
async function listenOnBridge(): Promise<void> {
  const bridge = `ptc-test${clusterNumber(dirname(dirname(kubeconfig)))}`;
  // Otherwise the bridge takes another one when a pod comes or goes, and a pod that has just learned the old one reaches nothing.
  await run('ip', ['link', 'set', 'dev', bridge, 'address', HARDWARE_ADDRESS]);
  await run('ip', ['address', 'add', `${ADDRESS}/16`, 'dev', bridge]);
  onTestFinished(
    async () => void (await run('ip', ['address', 'del', `${ADDRESS}/16`, 'dev', bridge])),
  );
  const server = createServer((socket) => socket.destroy()).listen(KUBELET_PORT, ADDRESS);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

/** What a pod of a pool has reached, which it says when it has given up. No session has it afterwards. */
async function reachedBy(namespace: string, name: string): Promise<readonly string[]> {
  const cluster = await Cluster.find({});
  onTestFinished(() => cluster.close());
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const { spec } = (await cluster.send({ method: 'GET', path })) as Pod;
  const target = { namespace, pod: name, container: SIDECAR, command: relayCommand(spec) };
  const open = execChannel(cluster, target);
  // No host has had it: the epoch of the first is 1.
  const asked = { open, epoch: 0, patienceMs: 60_000, onEnd: () => undefined };
  const streams = await ResumableStreams.connect(asked);
  streams.close();
  return readFacts(streams.facts).reached;
}

describeWithEngine('the walls of a pod', () => {
  const namespaceOf = useNamespace();

  it('are as asked for, and a program sees nothing of the cluster [kubernetes/sidecar, kubernetes/sockets, kubernetes/user, kubernetes/environment]', async () => {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    const executor = new SandboxExecutor({ provider });
    const { stdout } = await executor.execute(`
import os, socket
print(sorted(name for name in os.environ if 'KUBERNETES' in name or name.endswith('_PORT')))
print(os.path.exists('/var/run/secrets/kubernetes.io'), os.path.exists('/run/sandboxed-ptc'))
print(os.getuid() == os.getgid(), 20000 <= os.getuid() < 60000, set(os.getgroups()) <= {os.getgid()})
for family in socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK:
    try:
        socket.socket(family, socket.SOCK_DGRAM)
    except OSError as error:
        print(error.strerror)
listening = [line.split()[-1] for line in open('/proc/net/unix') if '@' in line]
print(listening)
print(sorted(pid for pid in os.listdir('/proc') if pid.isdigit())[0])
`);
    expect(stdout).toBe(
      `[]\nFalse False\nTrue True True\n${'Operation not permitted\n'.repeat(3)}[]\n1\n`,
    );
    await executor.close();
    await provider.close();
  });

  it('are refused without the network’s, unless that is not wanted [kubernetes/network, kubernetes/confirmed]', async () => {
    await listenOnBridge();
    const changed = await install(admin, { image, change: onReachableNode });
    onTestFinished(changed.remove);
    const { namespace } = changed;
    const open = kubernetesProvider({ namespace });
    await expect(open.create(SPEC)).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining(`network: the pod’s network reaches ${ADDRESS}:10250`),
      details: { walls: ['network'] },
    });
    await open.close();
    const tolerant = kubernetesProvider({ namespace, without: ['network'] });
    const executor = new SandboxExecutor({ provider: tolerant });
    expect(await executor.execute('print(1)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await executor.close();
    const sandbox = await tolerant.create(SPEC);
    const { protections = [], notes } = (await sandbox.security?.()) ?? {};
    const applied = `reached ${ADDRESS}:10250`;
    expect(protections.find(({ name }) => name === 'network')).toMatchObject({
      applied,
      holds: false,
    });
    expect(notes).toEqual([]);
    await sandbox.close();
    await tolerant.close();
    expect(await admin.send('GET', `/api/v1/namespaces/${namespace}/pods`)).toMatchObject({
      items: [],
    });
  });

  it('are refused without the network’s in a pod of a pool too, and a new pod is tried', async () => {
    await listenOnBridge();
    const { namespace, remove } = await install(admin, { image, pool: 1, change: onReachableNode });
    onTestFinished(remove);
    const provider = kubernetesProvider({ namespace });
    onTestFinished(async () => provider.close());
    // It begins the pool.
    const open = { code: 'SANDBOX_START_FAILED', details: { walls: ['network'] } };
    await expect(provider.create(SPEC)).rejects.toMatchObject(open);
    const [first] = await untilReady(admin, namespace, 1);
    expect(await reachedBy(namespace, first ?? '')).toEqual([`${ADDRESS}:10250`]);
    await expect(provider.create(SPEC)).rejects.toMatchObject(open);
    const [second] = await untilReady(admin, namespace, 1);
    expect(second).not.toBe(first);
    expect(await reachedBy(namespace, second ?? '')).toEqual([`${ADDRESS}:10250`]);
    // From now on, no pod reaches anything. That does not make up for what this one reached.
    onTestFinished(startPolicyEngine(admin, namespace));
    const sandbox = await provider.create(SPEC);
    expect(sandbox.id).not.toBe(second);
    expect((await podsIn(admin, namespace)).map(({ metadata }) => metadata.name)).not.toContain(
      second,
    );
    await sandbox.close();
  });

  it('have the network’s if something enforces the NetworkPolicy, which a pod without it shows', async () => {
    await listenOnBridge();
    const { namespace, remove } = await install(admin, { image, change: onReachableNode });
    onTestFinished(remove);
    onTestFinished(startPolicyEngine(admin, namespace));
    const provider = kubernetesProvider({ namespace });
    onTestFinished(async () => provider.close());
    const sandbox = await provider.create(SPEC);
    const { protections = [], notes } = (await sandbox.security?.()) ?? {};
    const applied = `nothing reached; enforced: a pod that no policy selects reached ${ADDRESS}:10250`;
    expect(protections.filter(({ name }) => name === 'network')).toMatchObject([{ applied }]);
    expect([protections.filter(({ holds }) => !holds), notes]).toEqual([[], []]);
    await sandbox.close();
    expect(await admin.send('GET', `/api/v1/namespaces/${namespace}/pods`)).toMatchObject({
      items: [],
    });
  });

  it('leave open whether the network’s is enforced if no pod reaches anything', async () => {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    onTestFinished(async () => provider.close());
    const sandbox = await provider.create(SPEC);
    const { notes } = (await sandbox.security?.()) ?? {};
    expect(notes).toEqual([expect.stringContaining('inconclusive')]);
    await sandbox.close();
  });

  it('a whole pod that the kubelet ends for lack of memory is a program without memory', async () => {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    const executor = new SandboxExecutor({ provider });
    await using session = await executor.acquire({});
    // The kernel ends the child. From then on, containerd says of the container that memory ran out.
    const id = (await session.info())?.sandboxId;
    const { metadata } = (await admin.send(
      'GET',
      `/api/v1/namespaces/${namespaceOf()}/pods/${id}`,
    )) as ReadPod;
    const running = session.execute(
      `
import os, time
if os.fork() == 0:
    open('/proc/self/oom_score_adj', 'w').write('1000')
    bytearray(2 ** 30)
os.wait()
print('child ended', flush=True)
time.sleep(3600)
`,
      {
        onEvent: ({ type }) => {
          if (type === 'output-delta') killInContainer(metadata.uid, 'ptc_runner.supervisor.main');
        },
      },
    );
    expect(await running).toMatchObject({ status: 'memory-limit', sessionOpen: false });
    await executor.close();
    await provider.close();
  });
});
