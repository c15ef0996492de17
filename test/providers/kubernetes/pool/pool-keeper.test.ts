import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LABELS, POD_VERSION } from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { Metadata } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { PoolKeeper } from '../../../../src/providers/kubernetes/pool/pool-keeper.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { inBackground } from '../../../../src/shared/async/background.ts';
import { clusterServedBy, object } from '../cluster/scripted-server.ts';
import { templateWith } from './template.ts';

/** The pool of a namespace. Its pods are as new as the test says, and end when it says. */
class Pool {
  /** The pods that no session has, oldest first. */
  readonly pods: Metadata[] = [];
  made = 0;
  #watch: ServerResponse | undefined;
  /** What is told when the host watches. */
  readonly #untold: string[] = [];
  #createdMs: number;

  private constructor(ageMs: number) {
    this.#createdMs = Date.now() - ageMs;
  }

  /** Starts a host that keeps so many pods. They end with the test. */
  static async start(size: number, ageMs: number): Promise<Pool> {
    const pool = new Pool(ageMs);
    const template = await templateWith({ 'sandboxed-ptc/pool-size': String(size) });
    const labels = { [LABELS.version]: POD_VERSION };
    const all = { ...template, metadata: { ...template.metadata, labels } };
    const cluster = await clusterServedBy((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'https://server');
      const isOfPods = pathname.endsWith('/pods');
      if (request.method === 'POST') inBackground(json(request).then(pool.#make));
      if (request.method === 'POST') return object({})(request, response);
      if (!searchParams.has('watch')) {
        const items = isOfPods ? [] : [all];
        return object({ items, metadata: { resourceVersion: '1' } })(request, response);
      }
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      if (!isOfPods) return;
      pool.#watch = response;
      for (const event of pool.#untold) response.write(event);
    });
    const about = { cluster, namespace: 'agents', guests: await readGuests(), onGone: () => {} };
    const keeper = new PoolKeeper({ ...about, template: all.metadata });
    onTestFinished(() => keeper.stop());
    return pool;
  }

  /** The oldest pod ends. */
  end(): void {
    this.#tell('DELETED', this.pods.shift());
  }

  /** A session claims the oldest pod. */
  claim(): void {
    const { labels, ...pod } = this.pods.shift() ?? {};
    this.#tell('MODIFIED', { ...pod, labels: { ...labels, [LABELS.session]: 'a' } });
  }

  readonly #make = (sent: unknown): void => {
    const { name, labels } = (sent as { metadata: Metadata }).metadata;
    const creationTimestamp = new Date(this.#createdMs).toISOString();
    const pod = { name, uid: name, resourceVersion: '1', creationTimestamp, labels };
    this.pods.push(pod as Metadata);
    this.#tell('ADDED', pod);
    this.made += 1;
  };

  #tell(type: string, metadata: object | undefined): void {
    const event = `${JSON.stringify({ type, object: { metadata } })}\n`;
    if (this.#watch === undefined) this.#untold.push(event);
    else this.#watch.write(event);
  }
}

it('a pod that ends because no session claims it is replaced at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const pool = await Pool.start(2, 7_200_000);
  await expect.poll(() => pool.made).toBe(2);
  for (let ended = 1; ended <= 9; ended += 1) {
    pool.end();
    // No time passes.
    await expect.poll(() => pool.made).toBe(2 + ended);
  }
});

it('a session that claims a pod ends the pause that pods made necessary which did not start', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const pool = await Pool.start(2, 0);
  await expect.poll(() => pool.made).toBe(2);
  // Each watch has a timer.
  const paused = 3;
  for (let pauseMs = 1000; pauseMs <= 32_000; pauseMs *= 2) {
    const { made } = pool;
    pool.end();
    await expect.poll(() => vi.getTimerCount()).toBe(paused);
    vi.advanceTimersByTime(pauseMs);
    await expect.poll(() => pool.made).toBe(made + 1);
  }
  const { made } = pool;
  pool.end();
  await expect.poll(() => vi.getTimerCount()).toBe(paused);
  pool.claim();
  let passedMs = 0;
  const makesSoon = (): number => {
    // The pause would be of 64 seconds.
    if (passedMs < 30_000) vi.advanceTimersByTime(500);
    passedMs += 500;
    return pool.made;
  };
  await expect.poll(makesSoon).toBe(made + 2);
});
