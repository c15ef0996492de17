import { expect, it, onTestFinished, vi } from 'vitest';
import { readFacts } from '../../../../src/providers/kubernetes/walls/facts.ts';
import { ANSWER, connect } from '../streams/connect.ts';
import { Pod } from '../streams/sidecar.ts';

it('a sidecar to which a cluster gives a name of the API server says what it reaches', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('KUBERNETES_SERVICE_HOST', 'api.example.com');
  await using pod = await Pod.start(['python3', '-uc', ANSWER]);
  const { streams } = await connect(pod.open, { patienceMs: 10_000 });
  expect(readFacts(streams.facts).reached).toEqual([]);
  streams.close();
});
