import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { execChannel } from '../../../../src/providers/kubernetes/cluster/exec-channel.ts';
import { asClusterError } from '../../../../src/providers/kubernetes/start/start-error.ts';
import { ChannelRefused } from '../../../../src/providers/kubernetes/streams/channel.ts';
import { type Answer, object, refusal, scriptedServer } from './scripted-server.ts';

const PODS = '/api/v1/namespaces/agents/pods';
const TARGET = { namespace: 'agents', pod: 'a', container: 'sidecar', command: ['relay'] };

const isRenewed = ({ headers }: IncomingMessage): boolean =>
  headers.authorization === 'Bearer the next token';

/** The server no longer knows the first token of the kubeconfig. */
const answer: Answer = (request, response) => {
  const known = object({ kind: 'Pod' });
  (isRenewed(request) ? known : refusal(401, 'Unauthorized', 'Unauthorized'))(request, response);
};

/** Changes the kubeconfig while the process runs. */
function replaceInKubeconfig(text: string, other: string): void {
  const file = process.env['KUBECONFIG'] ?? '';
  writeFileSync(file, readFileSync(file, 'utf8').replace(text, other));
}

it.each(['GET', 'POST'] as const)('a %s goes on with a token that was renewed', async (method) => {
  const { cluster, requests } = await scriptedServer({ answers: [answer] });
  replaceInKubeconfig('a token', 'the next token');
  expect(await cluster.send({ method, path: PODS })).toEqual({ kind: 'Pod' });
  await cluster.send({ method, path: PODS });
  expect(requests).toHaveLength(3);
});

it('many requests at a time go on with it', async () => {
  const { cluster } = await scriptedServer({ answers: [answer] });
  replaceInKubeconfig('a token', 'the next token');
  const path = PODS;
  const all = Array.from({ length: 20 }, async () => cluster.send({ method: 'GET', path }));
  expect(await Promise.all(all)).toHaveLength(20);
});

it.each(['the same', 'another'])('a request is refused if %s token is refused', async (which) => {
  const { cluster, requests } = await scriptedServer({ answers: [answer] });
  if (which === 'another') replaceInKubeconfig('a token', 'a wrong token');
  const refused = cluster.send({ method: 'GET', path: PODS }).catch(asClusterError);
  expect(await refused).toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringContaining('Renew the credentials of the kubeconfig.'),
  });
  expect(requests).toHaveLength(which === 'another' ? 2 : 1);
});

it.each(['no kubeconfig', 'a kubeconfig for another cluster'])(
  'a server gets no credentials of %s',
  async (which) => {
    const { cluster, requests } = await scriptedServer({ answers: [answer] });
    replaceInKubeconfig('a token', 'the next token');
    if (which === 'no kubeconfig') replaceInKubeconfig('{', '');
    else replaceInKubeconfig(cluster.server, 'https://127.0.0.1:1');
    await expect(cluster.send({ method: 'GET', path: PODS })).rejects.toMatchObject({
      reason: 'Unauthorized',
    });
    expect(requests).toHaveLength(1);
  },
);

it('a token that is being written when its file is read is found by the next request', async () => {
  const anonymous = refusal(
    403,
    'Forbidden',
    'User "system:anonymous" cannot list resource "pods"',
  );
  const { cluster } = await scriptedServer({
    answers: [
      (request, response) =>
        (request.headers.authorization === undefined ? anonymous : answer)(request, response),
    ],
  });
  const tokenFile = join(dirname(process.env['KUBECONFIG'] ?? ''), 'token');
  writeFileSync(tokenFile, '');
  const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
  replaceInKubeconfig('{"token":"a token"}', JSON.stringify(user));
  const ask = async (): Promise<unknown> => cluster.send({ method: 'GET', path: PODS });
  await expect(ask()).rejects.toMatchObject({ reason: 'Forbidden' });
  writeFileSync(tokenFile, 'the next token');
  expect(await ask()).toEqual({ kind: 'Pod' });
});

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (isRenewed(request)) {
    const sockets = new WebSocketServer({ noServer: true });
    sockets.handleUpgrade(request, socket, head, (opened) => opened.send(Buffer.from([1, 65])));
    return;
  }
  const body = JSON.stringify({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' });
  socket.end(`HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

it('a connection to a pod is opened with a token that was renewed', async () => {
  const { cluster } = await scriptedServer({ onUpgrade: upgrade });
  replaceInKubeconfig('a token', 'the next token');
  let received = '';
  const events: string[] = [];
  const listener = {
    data: (bytes: Buffer): void => void (received += bytes.toString()),
    closed: (): void => void events.push('closed'),
  };
  const channel = await execChannel(cluster, TARGET)(listener, AbortSignal.timeout(250_000));
  await expect.poll(() => received).toBe('A');
  // The connection that was refused is not one that was cut.
  expect(events).toEqual([]);
  channel.close();
});

it('a connection to a pod is refused if there is no other token', async () => {
  const { cluster } = await scriptedServer({ onUpgrade: upgrade });
  const listener = { data: (): void => {}, closed: (): void => {} };
  const opened = execChannel(cluster, TARGET)(listener, AbortSignal.timeout(250_000));
  await expect(opened).rejects.toBeInstanceOf(ChannelRefused);
});
