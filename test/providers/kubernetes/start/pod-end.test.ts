import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { endOfPod, hasEnded } from '../../../../src/providers/kubernetes/start/pod-end.ts';
import { PtcError } from '../../../../src/shared/errors.ts';
import {
  closing,
  object,
  refusal,
  scriptedServer,
  textRefusal,
} from '../cluster/scripted-server.ts';

/** How long a host asks why a pod has ended. */
const REPORT_MS = 15_000;
const PATH = '/api/v1/namespaces/agents/pods/a';
const OUT_OF_MEMORY = {
  status: {
    containerStatuses: [
      { name: 'code', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } },
    ],
  },
};
const FAILED = refusal(500, 'InternalError', 'etcdserver: request timed out');

it('an API server that fails is asked again why a pod has ended', async () => {
  // A connection that is closed is asked once more by the client itself.
  const answers = [FAILED, closing, closing, object(OUT_OF_MEMORY)];
  const { cluster } = await scriptedServer({ answers });
  expect(await endOfPod({ cluster, path: PATH }, undefined)).toMatchObject({
    code: 'SANDBOX_LOST',
    details: { reason: 'memory' },
  });
});

it('nothing more is known of a pod that is gone', async () => {
  const answers = [refusal(404, 'NotFound', 'pods "a" not found'), object(OUT_OF_MEMORY)];
  const { cluster } = await scriptedServer({ answers });
  expect(await endOfPod({ cluster, path: PATH }, undefined)).toBeUndefined();
});

it('an API server that is silent does not keep a session from its end', async () => {
  const { cluster } = await scriptedServer({ answers: [() => undefined] });
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const never = new AbortController().signal;
  // No request is given up by itself, and why a pod ended is known late.
  const spy = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => (ms === REPORT_MS ? timeout(100) : never));
  onTestFinished(() => spy.mockRestore());
  const place = { cluster, path: PATH };
  const lost = new PtcError('SANDBOX_LOST', 'The sandbox cannot be reached any more.');
  expect(await endOfPod(place, lost)).toBe(lost);
  expect(await endOfPod(place, undefined)).toBeUndefined();
  expect(await hasEnded(place)).toBe(false);
});

describe('an API server that refuses for a moment is asked again', () => {
  it.each([
    ['has too many requests', textRefusal(429, 'Too many requests, please try again later.')],
    ['does not know yet what it allows', refusal(403, 'Forbidden', 'RBAC: not yet synced')],
    ['does not know yet whom it talks to', refusal(401, 'Unauthorized', 'Unauthorized')],
    ['is behind a proxy that does not find it', textRefusal(404, 'Not Found')],
    ['is not ready', refusal(503, 'ServiceUnavailable', 'not ready')],
  ])('if it %s', async (_what, answer) => {
    const answers = [answer, answer, object(OUT_OF_MEMORY)];
    const ended = await scriptedServer({ answers });
    const why = await endOfPod({ cluster: ended.cluster, path: PATH }, undefined);
    expect(why).toMatchObject({ details: { reason: 'memory' } });
    const { cluster } = await scriptedServer({ answers });
    expect(await hasEnded({ cluster, path: PATH })).toBe(true);
  });
});
