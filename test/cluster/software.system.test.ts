import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { expect, inject, it, onTestFinished } from 'vitest';
import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { useNamespace } from './installed.ts';

const ANSWERS = 'http.client.response.finish';
const CREATED = 201;
interface Answered {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

describeWithEngine('the software of pods', () => {
  // A process remembers the answer of an image by its name, and other files run in this process. So it has another name here.
  const namespaceOf = useNamespace({ image: `docker.io/library/${image}` });

  it('is what containers of the same image have, and one pod is asked once', async () => {
    const docker = dockerProvider();
    const expected = await docker.software?.();
    await docker.close();
    expect(expected?.python?.version).toMatch(/^3\./);
    let made = 0;
    const count = (message: unknown): void => {
      const { request, response } = message as Answered;
      const { method, path } = request;
      // A pod is asked for again and again until the cluster has prepared the namespace.
      const isMade = response.statusCode === CREATED;
      if (method === 'POST' && path.endsWith('/pods') && isMade) made += 1;
    };
    subscribe(ANSWERS, count);
    onTestFinished(() => void unsubscribe(ANSWERS, count));
    for (let time = 0; time < 2; time += 1) {
      const provider = kubernetesProvider({ namespace: namespaceOf() });
      expect(await provider.software?.()).toEqual(expected);
      await provider.close();
    }
    expect(made).toBe(1);
    const pods = `/api/v1/namespaces/${namespaceOf()}/pods`;
    expect(await admin.send('GET', pods)).toMatchObject({ items: [] });
  });
});
