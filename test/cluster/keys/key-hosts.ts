import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import { RUN_BUNDLED } from '../../support/typescript-process.ts';
import type { Equipment, Order } from './key-host.ts';

/** A process that shares keys with others. */
export interface KeyHost {
  /** What it advertises. */
  readonly url: string;
  tell(what: Order['do'], order: Omit<Order, 'do'>): Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
  /** Kills it, and returns when it is gone. Can be called more than once. */
  end(): Promise<void>;
}

const FILE = fileURLToPath(new URL('./key-host.ts', import.meta.url));

/** Hides the keys of the machine, as if each host had one of its own. */
const APART =
  'mkdir -p /run/sandboxed-ptc && mount -t tmpfs -o mode=700 none /run/sandboxed-ptc && exec "$@"';

/** Starts a host. `end` it. */
export async function startHost(
  url: string,
  kubeconfig: string,
  equipment: Equipment,
): Promise<KeyHost> {
  const command = [process.execPath, RUN_BUNDLED, FILE, url, JSON.stringify(equipment)];
  // What it leaves when it is killed.
  const directory = await mkdtemp(join(tmpdir(), 'key-host-'));
  const env = { ...process.env, KUBECONFIG: kubeconfig, TMPDIR: directory };
  const child = spawn('unshare', ['--mount', 'sh', '-c', APART, 'sh', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const ended = once(child, 'exit');
  const ready = createDeferred<unknown>();
  const answers = new Map<number, Deferred<unknown>>([[0, ready]]);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { readonly id: number; readonly result: unknown };
    answers.get(id)?.resolve(result);
  });
  await ready.promise;
  return {
    url,
    tell: async (what, order) => {
      const answer = createDeferred<unknown>();
      const id = answers.size;
      answers.set(id, answer);
      child.stdin.write(`${JSON.stringify({ id, do: what, ...order })}\n`);
      return answer.promise;
    },
    kill: (signal) => void child.kill(signal),
    end: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
