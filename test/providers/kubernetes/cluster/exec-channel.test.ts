import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { execChannel } from '../../../../src/providers/kubernetes/cluster/exec-channel.ts';
import {
  type Channel,
  ChannelRefused,
} from '../../../../src/providers/kubernetes/streams/channel.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { connect } from '../streams/connect.ts';
import { sidecarPacket, WELCOME } from '../streams/sidecar-packet.ts';
import { scriptedServer } from './scripted-server.ts';

const TARGET = { namespace: 'agents', pod: 'a', container: 'sidecar', command: ['relay', 'a b'] };
const VERSIONS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** A channel, and what its listener got. */
interface Opened {
  readonly channel: Channel;
  readonly received: () => string;
  /** Settles with the reason when it is closed. */
  readonly closed: Promise<Error | undefined>;
  readonly closings: () => number;
  readonly path: string;
}

async function open(
  version: (typeof VERSIONS)[number],
  onConnection: (socket: WebSocket, raw: Duplex) => void,
): Promise<Opened> {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(version) ? version : false),
  });
  let path = '';
  const onUpgrade = (request: IncomingMessage, raw: Duplex, head: Buffer): void => {
    path = request.url ?? '';
    sockets.handleUpgrade(request, raw, head, (socket) => onConnection(socket, raw));
  };
  const { cluster } = await scriptedServer({ onUpgrade });
  let received = '';
  let closings = 0;
  const closed = createDeferred<Error | undefined>();
  const listener = {
    data: (bytes: Buffer): void => void (received += bytes.toString()),
    closed: (why: Error | undefined): void => {
      closings += 1;
      closed.resolve(why);
    },
  };
  const channel = await execChannel(cluster, TARGET)(listener, AbortSignal.timeout(250_000));
  const closedWhy = closed.promise;
  return { channel, received: () => received, closed: closedWhy, closings: () => closings, path };
}

/** What a server sends that refuses to open a channel. */
function refusal(status: string, reason: string, message: string): string {
  const body = JSON.stringify({ kind: 'Status', reason, message });
  return `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function frame(stream: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([stream]), Buffer.from(text)]);
}

it.each(VERSIONS)('carries bytes in both directions with %s', async (version) => {
  const { channel, received, path } = await open(version, (socket) => {
    socket.on('message', (data: Buffer) => socket.send(frame(1, `got ${data.toString('latin1')}`)));
  });
  channel.write(Buffer.from('hello'));
  await expect.poll(received).toBe('got \0hello');
  expect(path).toBe(
    '/api/v1/namespaces/agents/pods/a/exec?container=sidecar&stdin=true&stdout=true&stderr=true&command=relay&command=a+b',
  );
  channel.close();
});

it('takes no notice of a half that v5 closes, nor of streams that it does not know', async () => {
  const { received, closings } = await open('v5.channel.k8s.io', (socket) => {
    // The signal of v5, whose body names the stream.
    socket.send(Buffer.from([255, 0]));
    socket.send(frame(7, 'unknown'));
    socket.send(Buffer.alloc(0));
    socket.send(frame(1, 'still here'));
  });
  await expect.poll(received).toBe('still here');
  expect(closings()).toBe(0);
});

it('joins a message that comes in parts', async () => {
  const { received } = await open('v5.channel.k8s.io', (socket) => {
    socket.send(frame(1, 'one '), { fin: false });
    socket.send(Buffer.from('two '), { fin: false });
    socket.send(Buffer.from('three'), { fin: true });
  });
  await expect.poll(received).toBe('one two three');
});

it('drops a frame that is cut, and is closed once, with the reason', async () => {
  const { received, closed, closings } = await open('v5.channel.k8s.io', (socket, raw) => {
    socket.send(frame(1, 'whole'), () => {
      // A frame of 100 bytes, of which 4 arrive.
      raw.end(Buffer.from([0x82, 100, 1, 65, 66, 67]));
    });
  });
  expect(await closed).toMatchObject({
    message: expect.stringContaining('the connection to the pod ended (1006)'),
  });
  expect([received(), closings()]).toEqual(['whole', 1]);
});

it('says what the command and the kubelet said before the end, and keeps little of it', async () => {
  const { closed } = await open('v4.channel.k8s.io', (socket) => {
    socket.send(frame(2, 'no such file'));
    socket.send(frame(2, 'x'.repeat(100_000)));
    socket.send(frame(2, 'y'.repeat(100_000)));
    socket.close(1000, 'finished');
  });
  const { message = '' } = (await closed) ?? {};
  expect(message).toMatch(/ended \(1000\): finished; no such filex+$/);
  expect(message.length).toBeLessThan(1100);
});

it.each([
  { status: '403 Forbidden', reason: 'Forbidden', inVain: true },
  { status: '404 Not Found', reason: 'NotFound', inVain: true },
  { status: '500 Internal Server Error', reason: 'InternalError', inVain: false },
])('a refusal with $status has its words', async ({ status, reason, inVain }) => {
  const message = 'User "host" cannot create resource "pods/exec"';
  const onUpgrade = (_request: IncomingMessage, socket: Duplex): void =>
    void socket.end(refusal(status, reason, message));
  const { cluster } = await scriptedServer({ onUpgrade });
  const listener = { data: (): void => {}, closed: (): void => {} };
  const error = await execChannel(cluster, TARGET)(listener, AbortSignal.timeout(250_000)).catch(
    (refused: unknown) => refused,
  );
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(error instanceof ChannelRefused).toBe(inVain);
});

it('a refusal whose words are cut is not waited for', async () => {
  const words = 'container not found';
  const cut = refusal('500 Internal Server Error', 'InternalError', words).slice(0, -10);
  const onUpgrade = (_request: IncomingMessage, socket: Duplex): void => void socket.end(cut);
  const { cluster } = await scriptedServer({ onUpgrade });
  const listener = { data: (): void => {}, closed: (): void => {} };
  const opening = execChannel(cluster, TARGET)(listener, AbortSignal.timeout(250_000));
  await expect(opening).rejects.toMatchObject({ status: 500 });
});

it.each([
  ['403 Forbidden', 'Forbidden'],
  ['401 Unauthorized', 'Unauthorized'],
])(
  'the streams of a runner go on if a server that starts again answers once with %s',
  async (status, reason) => {
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => VERSIONS[0] });
    let connections = 0;
    const onUpgrade = (request: IncomingMessage, raw: Duplex, head: Buffer): void => {
      connections += 1;
      if (connections === 2) return void raw.end(refusal(status, reason, 'not yet allowed'));
      const isFirst = connections === 1;
      sockets.handleUpgrade(request, raw, head, (socket) =>
        socket.once('message', () => {
          socket.send(Buffer.concat([Buffer.from([1]), WELCOME]));
          const output = sidecarPacket('O', Buffer.from('on'));
          if (isFirst) raw.end();
          else socket.send(Buffer.concat([Buffer.from([1]), output]));
        }),
      );
    };
    const { cluster } = await scriptedServer({ onUpgrade });
    const { streams, end } = await connect(execChannel(cluster, TARGET));
    onTestFinished(() => streams.close());
    const output = once(streams.stdout, 'data').then(String);
    expect(await Promise.race([output, end])).toBe('on');
    expect(connections).toBe(3);
  },
);
