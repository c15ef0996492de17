import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { clusterAt, object, scriptedServer, TLS } from './scripted-server.ts';

/** A proxy of the kind that a kubeconfig names. @returns its address, and where it was asked to connect to. */
async function startProxy(): Promise<{ readonly url: string; readonly targets: string[] }> {
  const targets: string[] = [];
  const server = createServer().listen(0, '127.0.0.1');
  server.on('connect', ({ url = '' }, near) => {
    targets.push(url);
    const { hostname, port } = new URL(`tcp://${url}`);
    const far = connect(Number(port), hostname, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
    near.on('close', () => far.destroy());
  });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

it('requests and watches of a cluster go through the proxy that its kubeconfig names', async () => {
  const { cluster: direct, requests } = await scriptedServer({ answers: [object({ a: 1 })] });
  const proxy = await startProxy();
  const cluster = await clusterAt(direct.server, TLS.cert, { 'proxy-url': proxy.url });
  expect(await cluster.send({ method: 'GET', path: '/api' })).toEqual({ a: 1 });
  const watched = await cluster.watch('/watch', new AbortController().signal);
  watched.destroy();
  expect(requests).toEqual(['GET /api', 'GET /watch']);
  const { host } = new URL(direct.server);
  expect(proxy.targets).toEqual([host, host]);
});
