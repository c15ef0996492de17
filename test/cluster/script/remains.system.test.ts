import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { beginStart, ownCluster, startPod } from './own-cluster.ts';

it('that lost its servers has them again after start, and nothing of it is there after stop', async () => {
  const cluster = await ownCluster();
  await cluster.run('start');
  await startPod(cluster);
  const during = cluster.now();
  // Else this test would not see what is left of them.
  expect(during.interfaces.length).toBeGreaterThan(1);
  expect(during.controlGroups.length).toBeGreaterThan(0);
  expect(during.processes.length).toBeGreaterThan(8);
  // No setting of the machine is changed, not even while it runs, nor does a file or a mount come outside of its directory.
  expect(during.settings).toEqual(cluster.before.settings);
  expect(during.mounts).toEqual(cluster.before.mounts);
  expect(during.files).toEqual([cluster.directory, ...cluster.before.files]);
  for (const server of ['etcd', 'kube-apiserver', 'kubelet', 'containerd']) cluster.kill(server);
  await cluster.run('start');
  await startPod(cluster);
  await cluster.run('stop');
  expect(cluster.now()).toEqual(cluster.before);
});

it('whose first process was killed is gone, and what is left of it goes with stop', async () => {
  const cluster = await ownCluster();
  await cluster.run('start');
  await startPod(cluster);
  const first = Number(readFileSync(join(cluster.directory, 'init.pid'), 'utf8'));
  process.kill(first, 'SIGKILL');
  await expect.poll(() => cluster.now().processes).toEqual(cluster.before.processes);
  await expect(cluster.run('env')).rejects.toThrow('no cluster runs');
  await cluster.run('stop');
  expect(cluster.now()).toEqual(cluster.before);
});

it.each(['SIGINT', 'SIGTERM'] as const)('whose start gets %s is not there', async (signal) => {
  const cluster = await ownCluster();
  const start = await beginStart(cluster);
  start.kill(signal);
  const [status] = (await once(start, 'exit')) as [number];
  expect(status).toBe(signal === 'SIGINT' ? 130 : 143);
  expect(cluster.now()).toEqual(cluster.before);
});

it('whose start was killed goes with stop', async () => {
  const cluster = await ownCluster();
  const start = await beginStart(cluster);
  start.kill('SIGKILL');
  await once(start, 'exit');
  await cluster.run('stop');
  expect(cluster.now()).toEqual(cluster.before);
});

it('does not start if another program has one of its ports, and nothing of it stays', async () => {
  const cluster = await ownCluster();
  const start = await beginStart(cluster);
  const settings = readFileSync(join(cluster.directory, 'kubelet.yaml'), 'utf8');
  const { port } = parse(settings) as { port: number };
  start.kill('SIGTERM');
  await once(start, 'exit');
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await expect(cluster.run('start')).rejects.toThrow(
    `port ${port}, which the cluster needs, is in use`,
  );
  expect(cluster.now()).toEqual(cluster.before);
});
