// A host: it does what each line of its input says, and answers each with a line. Its sandboxes are pods, or processes
// of this machine, and its keys are Leases.
import { createInterface } from 'node:readline';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import type { LeaseTimes } from '../../../src/providers/kubernetes/keys/host-lease.ts';
import { LeaseKeys } from '../../../src/providers/kubernetes/keys/lease-keys.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

/** What a host is told to do. */
export interface Order {
  readonly do: 'acquire' | 'closing' | 'destroy' | 'execute' | 'release';
  readonly key: string;
  readonly code?: string;
  readonly waitMs?: number;
}

/** What a host has. */
export type Equipment =
  | { readonly namespace: string }
  /** Processes of this machine as sandboxes, and these times for its keys. */
  | { readonly times: LeaseTimes };

const [advertise = '', equipment = ''] = process.argv.slice(2);
const executor = new SandboxExecutor({
  provider: await providerWith(JSON.parse(equipment) as Equipment),
  advertise,
});
const sessions = new Map<string, Session>();

async function providerWith(has: Equipment): Promise<SandboxProvider> {
  if ('namespace' in has) return kubernetesProvider(has);
  const keys = new LeaseKeys(await Cluster.find({}), 'default', has.times);
  return { ...unisolatedLocalProvider(), keys };
}

async function obey({ do: what, key, code = '', waitMs = 0 }: Order): Promise<unknown> {
  const session = sessions.get(key);
  if (what === 'acquire') {
    const acquired = await executor.acquire({ sessionKey: key, sessionWaitMs: waitMs });
    sessions.set(key, acquired);
    return { isNew: acquired.isNew };
  }
  if (what === 'execute') return session?.execute(code);
  if (what === 'release') return session?.release();
  if (what === 'closing') return session?.closing;
  return session?.destroy();
}

const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, ...order } = JSON.parse(line) as Order & { readonly id: number };
  obey(order).then(
    (result) => say({ id, result: result ?? null }),
    (error: unknown) => say({ id, result: { ...(error as object), message: String(error) } }),
  );
});
say({ id: 0, result: 'ready' });
