// A host of BURST: claims pods until none is left, or patches pods that no other host does.

import { createInterface } from 'node:readline';
import { Cluster } from '../../dist/providers/kubernetes/cluster/cluster.js';
import { PodClaims } from '../../dist/providers/kubernetes/pool/pod-claims.js';
import { until } from './installation.mjs';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { pods, pool, shape, share, names, atOnce } = JSON.parse((await lines.next()).value);
const cluster = await Cluster.find({});
const times = [];
let patches = 0;

/** Counts the requests: a claim that another host makes first costs one more. */
const counted = {
  send: async (request) => {
    if (request.method === 'PATCH') patches += 1;
    return cluster.send(request);
  },
  watch: async (...request) => cluster.watch(...request),
};

const { claimOne, close } = names === undefined ? await ofPool() : ofNames();
console.log('ready');
await lines.next();
await Promise.all(Array.from({ length: atOnce }, work));
close();
cluster.close();
console.log(JSON.stringify({ times, retries: patches - times.length }));

async function work() {
  for (;;) {
    const start = performance.now();
    if (!(await claimOne())) return;
    times.push(performance.now() - start);
  }
}

async function ofPool() {
  const claims = new PodClaims({ cluster: counted, pods, pool, shape, share: () => share });
  await until(() => claims.ready > 0);
  return {
    claimOne: async () =>
      (await claims.claim({ sessionId: 'session', owner: 'host/1/a' })) !== undefined,
    close: () => claims.close(),
  };
}

function ofNames() {
  return {
    claimOne: async () => {
      const name = names.pop();
      if (name === undefined) return false;
      const body = [
        { op: 'test', path: '/metadata/annotations/made', value: 'by the bench' },
        { op: 'add', path: '/metadata/annotations/round', value: 'floor' },
      ];
      await counted.send({ method: 'PATCH', path: `${pods}/${name}`, body });
      return true;
    },
    close: () => {},
  };
}
