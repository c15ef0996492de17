import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  ChannelRefused,
  type OpenChannel,
} from '../../../../src/providers/kubernetes/streams/channel.ts';
import { ResumableStreams } from '../../../../src/providers/kubernetes/streams/resumable-streams.ts';
import { collectGarbage } from '../../../support/collect-garbage.ts';
import { shortenTimeLimits } from '../../../support/short-time-limits.ts';
import { ANSWER, connect, optionsFor } from './connect.ts';
import { endOf, Pod, told } from './sidecar.ts';

const MIB = 1024 * 1024;

describe('the streams of a runner behind a sidecar', () => {
  it('are lost if a server takes the connection and says nothing, also after memory was cleaned up', async () => {
    shortenTimeLimits(100);
    const connected = connect(
      async (_, signal) => {
        const aborted = once(signal, 'abort');
        await nextTurn();
        collectGarbage();
        await aborted;
        throw signal.reason;
      },
      { patienceMs: 0 },
    );
    await expect(connected).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
  });

  it('carry bytes unchanged, and end with the runner', async () => {
    await using pod = await Pod.start(['head', '-c', String(5 * MIB)]);
    const { streams, end } = await connect(pod.open);
    const sent = randomBytes(5 * MIB);
    streams.stdin.write(sent);
    expect((await buffer(streams.stdout)).equals(sent)).toBe(true);
    expect(await end).toBeUndefined();
    expect(await endOf(pod.sidecar)).toBe(0);
    expect(await endOf(pod.runner)).toBe(0);
  });

  it('keep the order of standard output and standard error', async () => {
    const script = 'for n in $(seq 2000); do echo out $n; echo error $n >&2; done';
    await using pod = await Pod.start(['sh', '-c', script]);
    const { streams, end } = await connect(pod.open, { readsError: true });
    const [output, error] = await Promise.all([buffer(streams.stdout), buffer(streams.stderr)]);
    await end;
    const lines = (word: string): string =>
      Array.from({ length: 2000 }, (_, index) => `${word} ${index + 1}\n`).join('');
    expect(output.toString()).toBe(lines('out'));
    expect(error.toString()).toBe(lines('error'));
  });

  it('lose nothing and repeat nothing if each connection is cut after some bytes', async () => {
    await using pod = await Pod.start(['head', '-c', String(2 * MIB)]);
    let cuts = 0;
    const { streams, end } = await connect(async (listener, signal) => {
      let left = 50_000 + Math.floor(Math.random() * 300_000);
      const channel = await pod.open(
        {
          ...listener,
          data: (bytes) => {
            // A part arrives before the cut.
            listener.data(bytes.subarray(0, Math.max(0, left)));
            left -= bytes.length;
            if (left <= 0) pod.cut();
          },
        },
        signal,
      );
      cuts += 1;
      return channel;
    });
    const sent = randomBytes(2 * MIB);
    streams.stdin.write(sent);
    expect((await buffer(streams.stdout)).equals(sent)).toBe(true);
    expect(await end).toBeUndefined();
    expect(cuts).toBeGreaterThan(4);
  });

  it('answer each line once, although relays are killed between and amid lines', async () => {
    await using pod = await Pod.start(['python3', '-uc', ANSWER]);
    const { streams } = await connect(pod.open);
    streams.stdout.setEncoding('utf8');
    const answers: string[] = [];
    let rest = '';
    for (let line = 1; line <= 100; line += 1) {
      streams.stdin.write(`${line}\n`);
      if (line % 10 === 0) pod.cut();
      while (!rest.includes('\n')) rest += (await once(streams.stdout, 'data'))[0] as string;
      answers.push(...rest.split('\n').slice(0, -1));
      rest = rest.slice(rest.lastIndexOf('\n') + 1);
    }
    streams.close();
    expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => `answer ${index + 1}`));
  });
});

describe('a host behind which nobody reads', () => {
  it('does not let the runner write more than a window', async () => {
    await using pod = await Pod.start(['python3', '-c', WRITE]);
    const { streams } = await connect(pod.open);
    const written = Number(await told(pod.runner));
    expect(written).toBeGreaterThan(MIB);
    expect(written).toBeLessThan(3 * MIB);
    let length = 0;
    for await (const bytes of streams.stdout) length += (bytes as Buffer).length;
    expect(length).toBe(written);
  });

  it('is told to wait if the runner reads nothing', async () => {
    await using pod = await Pod.start(['sleep', '1000']);
    const { streams } = await connect(pod.open);
    let accepted = 0;
    const push = (): void => {
      streams.stdin.write(Buffer.alloc(65_536), () => {
        accepted += 65_536;
        push();
      });
    };
    push();
    // The runner's pipe takes as much as is confirmed at once.
    await expect.poll(() => accepted).toBe(MIB + 65_536);
    expect(streams.stdin.writableNeedDrain).toBe(true);
    streams.close();
  });
});

describe('a runner without a host', () => {
  it('ends if none comes in the time that it is given [kubernetes/abandoned]', async () => {
    await using pod = await Pod.start(['cat'], { patienceSeconds: 3600, hostPatienceSeconds: 0.3 });
    expect(await endOf(pod.sidecar)).toBe(0);
    expect(await endOf(pod.runner)).toBe(0);
  });

  it('ends when it lost its host for the time that it is given [kubernetes/abandoned]', async () => {
    await using pod = await Pod.start(['cat'], { patienceSeconds: 0.3, hostPatienceSeconds: 3600 });
    (await connect(pod.open)).streams.close();
    expect(await endOf(pod.sidecar)).toBe(0);
    expect(await endOf(pod.runner)).toBe(0);
  });

  it('has what it said last ready for a host that comes in time', async () => {
    await using pod = await Pod.start(['echo', 'ready']);
    await endOf(pod.runner);
    const { streams, end } = await connect(pod.open);
    expect((await buffer(streams.stdout)).toString()).toBe('ready\n');
    expect(await end).toBeUndefined();
    expect(await endOf(pod.sidecar)).toBe(0);
  });
});

describe('a sidecar that cannot be reached', () => {
  it('is tried again for the time that was given', async () => {
    let tries = 0;
    const open: OpenChannel = async () => {
      tries += 1;
      throw new Error('connect ECONNREFUSED');
    };
    await expect(connect(open, { patienceMs: 100 })).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: 'The sandbox cannot be reached any more: connect ECONNREFUSED.',
    });
    expect(tries).toBeGreaterThan(1);
  });

  it('is not tried again if that is in vain, or the caller no longer waits', async () => {
    let tries = 0;
    const refusing: OpenChannel = async () => {
      tries += 1;
      throw new ChannelRefused('the pod is gone');
    };
    await expect(connect(refusing)).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
    expect(tries).toBe(1);
    const reason = new Error('nobody waits');
    const aborted = ResumableStreams.connect(
      optionsFor(refusing).options,
      AbortSignal.abort(reason),
    );
    await expect(aborted).rejects.toBe(reason);
  });
});

/** Writes until it has stood still for half a second, and tells the test how much it has written. */
const WRITE = `
import os, signal
written = 0
class Still(Exception): pass
def still(*_): raise Still
signal.signal(signal.SIGALRM, still)
try:
    while True:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        written += os.write(1, bytes(4096))
except Still:
    os.write(3, str(written).encode())
`;
