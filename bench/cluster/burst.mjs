// Many claims at a time. No node could run so many pods here, so the bench makes their records only, and says that they
// run. A claim is the same for them.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { quantile } from '../statistics.mjs';
import { removeNamespace } from './installation.mjs';

const HOST = fileURLToPath(new URL('burst-host.mjs', import.meta.url));
const HOSTS = 4;
const AT_ONCE = 16;
const STRATEGIC = { schedulerName: 'none', terminationGracePeriodSeconds: 0 };

/** What others say of theirs. */
const OTHERS = [
  'others, on clusters of their own: agent-sandbox 3,600 claims, p99 851 ms; OpenSandbox 100 sandboxes in 0.92 s',
];

/** The 99th percentile of claims, and of as many patches that no other host competes for. */
export async function burst({ cluster, amount }) {
  const namespace = `bench-${randomUUID()}`;
  const body = { metadata: { name: namespace } };
  await cluster.send({ method: 'POST', path: '/api/v1/namespaces', body });
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const [pool, shape] = [randomUUID(), randomUUID()];
  try {
    const names = await makePods(cluster, { pods, pool, shape, count: amount.claims });
    const floor = await inHosts((number) => ({
      pods,
      names: names.filter((_, index) => index % HOSTS === number),
    }));
    // As the Lease of the pool tells them.
    const shareOf = (index) => ({ index, count: HOSTS });
    const claims = await inHosts((number) => ({ pods, pool, shape, share: shareOf(number) }));
    const made = claims.times.length;
    if (made !== names.length) throw new Error(`${made} of ${names.length} pods were claimed`);
    const { retries } = claims;
    const each = (rate) => rate.toFixed(0);
    return {
      value: quantile(claims.times, 0.99),
      floor: quantile(floor.times, 0.99),
      notes: [
        `${made} claims of ${HOSTS} hosts: ${each(claims.perSecond)}/s, as bare patches ${each(floor.perSecond)}/s; ${retries} were tried in vain, because another host was first`,
        ...OTHERS,
      ],
    };
  } finally {
    await cluster.send({ method: 'DELETE', path: pods });
    await removeNamespace(cluster, namespace);
  }
}

async function makePods(cluster, { pods, pool, shape, count }) {
  const names = Array.from({ length: count }, () => `hollow-${randomUUID()}`);
  const labels = {
    'sandboxed-ptc.pool': pool,
    'sandboxed-ptc.shape': shape,
    'sandboxed-ptc.session': '',
  };
  const spec = { ...STRATEGIC, containers: [{ name: 'code', image: 'none:1' }] };
  const make = async (name) => {
    const body = { metadata: { name, labels, annotations: { made: 'by the bench' } }, spec };
    await cluster.send({ method: 'POST', path: pods, body });
    const path = `${pods}/${name}/status`;
    const running = [{ op: 'add', path: '/status/phase', value: 'Running' }];
    await cluster.send({ method: 'PATCH', path, body: running });
  };
  for (let next = 0; next < count; next += AT_ONCE) {
    await Promise.all(names.slice(next, next + AT_ONCE).map(make));
  }
  return names;
}

/** Starts hosts, lets them begin together, and returns what they measured. */
async function inHosts(orderOf) {
  const hosts = await Promise.all(
    Array.from({ length: HOSTS }, (_, number) =>
      startHost({ ...orderOf(number), atOnce: AT_ONCE }),
    ),
  );
  const start = performance.now();
  const results = await Promise.all(hosts.map((host) => host.go()));
  const seconds = (performance.now() - start) / 1000;
  const times = results.flatMap((result) => result.times);
  const retries = results.reduce((sum, result) => sum + result.retries, 0);
  return { times, retries, perSecond: times.length / seconds };
}

async function startHost(order) {
  const child = spawn(process.execPath, [HOST], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(`${JSON.stringify(order)}\n`);
  await lines.next();
  return {
    async go() {
      const ended = once(child, 'exit');
      child.stdin.end('go\n');
      const { value } = await lines.next();
      await ended;
      return JSON.parse(value);
    },
  };
}
