import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KubernetesSandbox } from '../../../../src/providers/kubernetes/kubernetes-sandbox.ts';
import { attachPod } from '../../../../src/providers/kubernetes/persistent/attach-pod.ts';
import type { StreamTransport } from '../../../../src/protocol/stream-transport.ts';
import type { ResumableStreams } from '../../../../src/providers/kubernetes/streams/resumable-streams.ts';
import { shortenTimeLimits } from '../../../support/short-time-limits.ts';
import { closing, refusal } from '../cluster/scripted-server.ts';
import { type Fault, PodServer } from './pod-server.ts';

const FAILED = refusal(500, 'InternalError', 'etcdserver: request timed out');
const BUSY = refusal(429, 'TooManyRequests', 'too many requests, please try again later');
const FORBIDDEN = refusal(403, 'Forbidden', 'pods "sandbox-1" is forbidden: not yet allowed');
/** Nothing is done, and the answer is an error that goes on after a moment. */
const NOT_DONE: Fault = { isDone: false, answer: FAILED };

/** The sandbox of the first host. */
function sandboxOf({ cluster, path }: PodServer): KubernetesSandbox {
  return new KubernetesSandbox('sandbox-1', {
    ...{ cluster, path, epoch: 1, protections: [], tryWithoutPolicy: undefined },
    transport: { destroy: () => undefined } as StreamTransport,
    streams: {} as ResumableStreams,
  });
}

function warnings(): unknown[] {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  return warned.mock.calls;
}

describe('a persistent pod whose session ends', () => {
  it.each([
    ['fails', [NOT_DONE]],
    ['fails again and again', [NOT_DONE, NOT_DONE]],
    ['is too much for the API server', [{ isDone: false, answer: BUSY }]],
    ['is forbidden, as by an API server that starts', [{ isDone: false, answer: FORBIDDEN }]],
    ['is cut before it arrives', [{ isDone: false, answer: closing }]],
    ['arrives, but its answer is cut', [{ isDone: true, answer: closing }]],
    ['is done, but its answer is another', [{ isDone: true, answer: FAILED }]],
  ])('is ended, although the request for it %s', async (_, faults) => {
    const warned = warnings();
    const pods = await PodServer.start();
    pods.faults['PATCH'] = [...faults];
    await sandboxOf(pods).close();
    expect(pods).toMatchObject({ epoch: 'ended', isDeleted: true });
    expect(warned).toEqual([]);
  });

  it('is ended, although the kept connection is cut', async () => {
    const pods = await PodServer.start();
    await pods.cluster.send({ method: 'GET', path: pods.path });
    pods.faults['PATCH'] = [{ isDone: true, answer: closing }];
    await sandboxOf(pods).close();
    expect(pods).toMatchObject({ epoch: 'ended', isDeleted: true });
  });

  it('is ended, although nobody can tell for a moment whether it is', async () => {
    const pods = await PodServer.start();
    pods.faults['PATCH'] = [{ isDone: true, answer: closing }];
    pods.faults['GET'] = [NOT_DONE];
    await sandboxOf(pods).close();
    expect(pods).toMatchObject({ epoch: 'ended', isDeleted: true });
  });

  it('is ended, although the API server leaves a request without an answer', async () => {
    shortenTimeLimits(500);
    const pods = await PodServer.start();
    pods.faults['PATCH'] = [{ isDone: false, answer: () => undefined }];
    await sandboxOf(pods).close();
    expect(pods).toMatchObject({ epoch: 'ended', isDeleted: true });
  });

  it('is taken over by no host, although it cannot be deleted', async () => {
    const pods = await PodServer.start();
    pods.faults['PATCH'] = [NOT_DONE];
    pods.faults['DELETE'] = [NOT_DONE];
    await sandboxOf(pods).close();
    const hasKey = async (): Promise<boolean> => true;
    const about = { namespace: 'agents', without: [], hasKey, owner: 'a/1/b' };
    expect(await attachPod(pods.cluster, 'session', about)).toBeUndefined();
    expect(pods.epoch).toBe('ended');
  });

  it('goes on if another host has taken it over meanwhile', async () => {
    const pods = await PodServer.start();
    pods.epoch = '2';
    pods.faults['PATCH'] = [NOT_DONE];
    await sandboxOf(pods).close();
    expect(pods).toMatchObject({ epoch: '2', isDeleted: false });
  });

  it('may be gone already', async () => {
    const warned = warnings();
    const pods = await PodServer.start();
    pods.isDeleted = true;
    await sandboxOf(pods).close();
    expect(pods.requests).not.toContain('DELETE');
    expect(warned).toEqual([]);
  });

  it.each([
    ['refuses that for long', FORBIDDEN],
    ['is not there for long', FAILED],
  ])('is said to remain if the API server %s', async (_, answer) => {
    const warned = warnings();
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    onTestFinished(() => clock.mockRestore());
    const pods = await PodServer.start();
    const slow: Fault['answer'] = (...request) => {
      aheadMs += 20_000;
      answer(...request);
    };
    const fault = { isDone: false, answer: slow };
    pods.faults['PATCH'] = [fault, fault, fault];
    await sandboxOf(pods).close();
    expect(pods.requests).toEqual(['PATCH', 'PATCH']);
    expect(warned).toEqual([
      [
        expect.stringContaining('The pod sandbox-1 could not be ended: PATCH'),
        { code: 'PTC_BACKGROUND_FAILED' },
      ],
    ]);
  });
});
