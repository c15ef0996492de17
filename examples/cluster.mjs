#!/usr/bin/env node
// @ts-check
// Sandboxes as pods of a Kubernetes cluster. Install what they need first, and name the namespace:
//
//   npx sandboxed-ptc cluster manifests --namespace agents --image IMAGE | kubectl apply --server-side -f -
//   NAMESPACE=agents node examples/cluster.mjs
import assert from 'node:assert/strict';
import { defineTool, SandboxExecutor } from 'sandboxed-ptc';
import { kubernetesProvider } from 'sandboxed-ptc/kubernetes';

const listOrders = defineTool({
  name: 'list_orders',
  description: 'Returns the totals of all orders, in euros.',
  run: () => [120, 80, 45],
});

// The kubeconfig says which cluster, or in a pod, its service account.
const provider = kubernetesProvider({ namespace: process.env['NAMESPACE'] ?? 'agents' });
const executor = new SandboxExecutor({ provider, tools: [listOrders] });

try {
  // A session is a pod: what one program leaves is there for the next.
  const session = await executor.acquire({});
  await session.execute('orders = await list_orders()');
  const { status, stdout } = await session.execute('print(sum(orders))');
  console.log(status, stdout);
  assert.equal(stdout, '245\n');
} finally {
  await executor.close();
  await provider.close();
}
