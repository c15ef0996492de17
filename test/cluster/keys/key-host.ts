// A host: it does what each line of its input says, and answers each with a line. Its sandboxes are pods, or processes
// of this machine, and its keys are Leases.
import { createInterface } from 'node:readline';
import type { ExecutionEvent } from '../../../src/execution/execution.ts';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import type { LeaseTimes } from '../../../src/providers/kubernetes/keys/host-lease.ts';
import { LeaseKeys } from '../../../src/providers/kubernetes/keys/lease-keys.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

/** What a host is told to do. */
export interface Order {
  readonly do:
    | 'acquire'
    /** Starts a program, and returns what it prints first. */
    | 'begin'
    /** The arguments of the tool calls that were made. */
    | 'calls'
    /** Closes the executor. */
    | 'close'
    | 'closing'
    | 'destroy'
    | 'execute'
    | 'release';
  readonly key: string;
  readonly code?: string;
  readonly waitMs?: number;
  /** @default false */
  readonly persistent?: boolean;
}

/** What a host has. */
export type Equipment =
  | { readonly namespace: string }
  /** Processes of this machine as sandboxes, and these times for its keys. */
  | { readonly times: LeaseTimes };

const [advertise = '', equipment = ''] = process.argv.slice(2);
const calls: number[] = [];
const note = defineTool({
  name: 'note',
  description: 'Notes a number. At the number 1, this process stops until it is told to go on.',
  inputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
  run: ({ number }: { number: number }) => {
    calls.push(number);
    if (number === 1) process.kill(process.pid, 'SIGSTOP');
    return null;
  },
});
const executor = new SandboxExecutor({
  tools: [note],
  provider: await providerWith(JSON.parse(equipment) as Equipment),
  advertise,
});
const sessions = new Map<string, Session>();

async function providerWith(has: Equipment): Promise<SandboxProvider> {
  if ('namespace' in has) return kubernetesProvider(has);
  const keys = new LeaseKeys(await Cluster.find({}), 'default', has.times);
  return { ...unisolatedLocalProvider(), keys };
}

async function obey({
  do: what,
  key,
  code = '',
  waitMs = 0,
  persistent = false,
}: Order): Promise<unknown> {
  const session = sessions.get(key);
  if (what === 'acquire') {
    const wanted = { sessionKey: key, sessionWaitMs: waitMs, persistent };
    const acquired = await executor.acquire(wanted);
    sessions.set(key, acquired);
    const { resumed } = acquired.acquired;
    return { isNew: acquired.isNew, ...(resumed !== undefined && { resumed }) };
  }
  if (what === 'execute') return session?.execute(code);
  if (what === 'release') return session?.release();
  if (what === 'calls') return calls;
  if (what === 'begin') return firstOutput(session, code);
  if (what === 'close') return executor.close();
  if (what === 'closing') return session?.closing;
  return session?.destroy();
}

async function firstOutput(session: Session | undefined, code: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const onEvent = (event: ExecutionEvent): void => {
      if (event.type === 'output-delta') resolve(event.text);
    };
    session?.execute(code, { onEvent }).catch(reject);
  });
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
