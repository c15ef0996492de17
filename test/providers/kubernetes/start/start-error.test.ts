import { expect, it } from 'vitest';
import { readTemplate } from '../../../../src/providers/kubernetes/pod/read-template.ts';
import { asClusterError } from '../../../../src/providers/kubernetes/start/start-error.ts';
import { type Answer, refusal, scriptedServer, textRefusal } from '../cluster/scripted-server.ts';

/** What a user is told if the API server gives this answer. */
async function told(answer: Answer): Promise<unknown> {
  const { cluster } = await scriptedServer({ answers: [answer] });
  const place = { namespace: 'agents', name: 'sandboxed-ptc' };
  return readTemplate(cluster, place).catch(asClusterError);
}

it.each([
  ['503 the server is', refusal(503, 'ServiceUnavailable', 'the server is unable to answer')],
  ['500 etcdserver: ', refusal(500, '', 'etcdserver: request timed out')],
  ['500 Internal error', refusal(500, 'InternalError', 'Internal error occurred: no leader')],
  ['504 Timeout: ', refusal(504, 'Timeout', 'Timeout: request did not complete')],
  ['502 <html>Bad', textRefusal(502, '<html>Bad gateway')],
])('an API server that cannot answer at the moment is not there: %s', async (words, answer) => {
  expect(await told(answer)).toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringContaining(
      `cannot answer at the moment: GET /api/v1/namespaces/agents/podtemplates/sandboxed-ptc: ${words}`,
    ),
  });
});

it('a webhook that fails keeps a sandbox from its start, and is named', async () => {
  const failed = 'Internal error occurred: failed calling webhook "a.example": no route to host';
  expect(await told(refusal(500, 'InternalError', failed))).toMatchObject({
    code: 'SANDBOX_START_FAILED',
    message: expect.stringContaining(failed),
    details: { reason: 'InternalError' },
  });
});
