import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import type { Manifest } from '../../src/providers/kubernetes/manifests/manifests.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { install, useNamespace } from './installed.ts';
import { killInContainer } from './kill-server.ts';

const run = promisify(execFile);
const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
/** In the network of the pods, and at the end of it, so that no pod gets it. */
const ADDRESS = '10.244.250.250';
const KUBELET_PORT = 10_250;

/** The same template, in which the node has an address that pods may reach. */
function onReachableNode(manifest: Manifest): Manifest {
  if (manifest.kind !== 'PodTemplate') return manifest;
  const changed: Manifest = structuredClone(manifest);
  const { spec } = changed['template'] as { spec: { containers: { name: string; env: object }[] } };
  for (const container of spec.containers) {
    if (container.name === 'sidecar') container.env = [{ name: 'NODE_ADDRESS', value: ADDRESS }];
  }
  return changed;
}

/** Gives the bridge of the pods an address, at which a server listens. */
async function listenOnBridge(): Promise<void> {
  const { stdout } = await run('ip', ['-oneline', 'link', 'show', 'type', 'bridge']);
  const bridge = /ptc-test\d+/.exec(stdout)?.[0] ?? '';
  await run('ip', ['address', 'add', `${ADDRESS}/16`, 'dev', bridge]);
  onTestFinished(
    async () => void (await run('ip', ['address', 'del', `${ADDRESS}/16`, 'dev', bridge])),
  );
  const server = createServer((socket) => socket.destroy()).listen(KUBELET_PORT, ADDRESS);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
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
    const spec = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;
    await expect(open.create(spec)).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining(`network: the pod’s network reaches ${ADDRESS}:10250`),
      details: { walls: ['network'] },
    });
    await open.close();
    const tolerant = kubernetesProvider({ namespace, without: ['network'] });
    const executor = new SandboxExecutor({ provider: tolerant });
    expect(await executor.execute('print(1)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await executor.close();
    await tolerant.close();
    expect(await admin.send('GET', `/api/v1/namespaces/${namespace}/pods`)).toMatchObject({
      items: [],
    });
  });

  it('a whole pod that the kubelet ends for lack of memory is a program without memory', async () => {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    const executor = new SandboxExecutor({ provider });
    await using session = await executor.acquire({});
    // The kernel ends the child. From then on, containerd says of the container that memory ran out.
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
          if (type === 'output-delta') killInContainer('ptc_runner.supervisor.main');
        },
      },
    );
    expect(await running).toMatchObject({ status: 'memory-limit', sessionOpen: false });
    await executor.close();
    await provider.close();
  });
});
