import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { helloPacket, packet } from '../../../../src/providers/kubernetes/streams/packets.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { ANSWER, connect } from './connect.ts';
import { endOf, Pod } from './sidecar.ts';

describe('another host', () => {
  it('with a newer epoch takes the runner over, and the older one is told [kubernetes/takeover]', async () => {
    await using pod = await Pod.start(['python3', '-uc', ANSWER]);
    const older = await connect(pod.open, { epoch: 1 });
    older.streams.stdin.write('1\n2');
    await once(older.streams.stdout, 'data');
    const newer = await connect(pod.open, { epoch: 2 });
    const error = await older.end;
    expect(error).toMatchObject({ code: 'SANDBOX_LOST' });
    expect(error?.message).toContain(
      'a host with epoch 2 has taken over, and this one has epoch 1',
    );
    // The older host had begun a line.
    newer.streams.stdin.write('\n3\n');
    const [answers] = (await once(newer.streams.stdout, 'data')) as [Buffer];
    expect(answers.toString()).toContain('answer 2\n');
    await expect(connect(pod.open, { epoch: 1 })).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
    newer.streams.close();
  });

  it('that is refused or does not speak these packets does not disturb the one that is there', async () => {
    await using pod = await Pod.start(['python3', '-uc', ANSWER]);
    const { streams } = await connect(pod.open, { epoch: 2 });
    const silent = { data: () => undefined, closed: () => undefined };
    for (const first of ['GET / HTTP/1.1\r\n\r\n', 'H\0\0\0\u0001x', '']) {
      (await pod.open(silent, new AbortController().signal)).write(Buffer.from(first, 'latin1'));
    }
    await expect(connect(pod.open, { epoch: 1 })).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
    streams.stdin.write('1\n');
    expect(String((await once(streams.stdout, 'data'))[0])).toBe('answer 1\n');
    streams.close();
  });

  it('that has given up before its relay started does not disturb the one that is there', async () => {
    await using pod = await Pod.start(['python3', '-uc', ANSWER]);
    let opened = 0;
    const { streams } = await connect(async (listener, signal) => {
      opened += 1;
      return pod.open(listener, signal);
    });
    const openedBefore = opened;
    const gone = createDeferred<void>();
    const late = { data: () => undefined, closed: () => gone.resolve() };
    const channel = await pod.open(late, new AbortController().signal);
    channel.write(helloPacket(1, 0));
    channel.close();
    await gone.promise;
    streams.stdin.write('1\n');
    expect(String((await once(streams.stdout, 'data'))[0])).toBe('answer 1\n');
    expect(opened).toBe(openedBefore);
    streams.close();
  });

  it('gets no line from its middle, whatever the data in front of it contains', async () => {
    await using pod = await Pod.start(['python3', '-uc', CUT_LINE]);
    const older = await connect(pod.open, { epoch: 1 });
    await once(older.streams.stdout, 'data');
    const newer = await connect(pod.open, { epoch: 2 });
    newer.streams.stdin.write('go on\n');
    expect(String(await buffer(newer.streams.stdout))).toBe('whole\n');
  });

  it('gets whole lines of a runner that nobody has read', async () => {
    await using pod = await Pod.start(['python3', '-c', MANY_LINES]);
    // Reads nothing, so that the runner stops amid a line.
    await connect(pod.open, { epoch: 1 });
    const newer = await connect(pod.open, { epoch: 2 });
    const lines = String(await buffer(newer.streams.stdout)).split('\n');
    expect(lines.pop()).toBe('');
    const [first = 0, ...others] = lines.map((line) => Number(/^(\d+)x{5000}$/.exec(line)?.[1]));
    expect(others).toEqual(others.map((_, index) => first + index + 1));
    expect(others.at(-1)).toBe(999);
  });

  it('is sent nothing of a line that does not end, and nobody keeps it', async () => {
    await using pod = await Pod.start(['python3', '-uc', ENDLESS_LINE]);
    const older = await connect(pod.open, { epoch: 1 });
    await once(older.streams.stdout, 'data');
    const newer = await connect(pod.open, { epoch: 2 });
    newer.streams.stdin.write('go on\n');
    // More than a window: the runner would stop if it were kept.
    expect(String(await buffer(newer.streams.stdout))).toBe('whole\n');
  });

  it('is refused if the runner has ended', async () => {
    await using pod = await Pod.start(['sh', '-c', 'read line; echo last']);
    (await connect(pod.open, { epoch: 1 })).streams.close();
    // This one confirms nothing, so the sidecar keeps for it what the runner said last.
    const older = createDeferred<void>();
    const listener = { data: () => older.resolve(), closed: () => undefined };
    const channel = await pod.open(listener, new AbortController().signal);
    channel.write(Buffer.concat([helloPacket(1, 0), packet('D', Buffer.from('\n'))]));
    await older.promise;
    await endOf(pod.runner);
    await expect(connect(pod.open, { epoch: 2 })).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: 'The sandbox cannot be reached any more: the runner has ended.',
    });
  });
});

/** Writes a part of a line with data that has a newline, and the rest when it is told to. */
const CUT_LINE = `
import sys
sys.stdout.write("__PTC_DATA__000010" + "1234\\n")
sys.stdout.flush()
sys.stdin.readline()
sys.stdout.write("6789\\n" + "the frame\\nwhole\\n")
`;

const ENDLESS_LINE = `
import sys
sys.stdout.write("begun")
sys.stdin.readline()
for _ in range(80):
    sys.stdout.write("x" * 65536)
sys.stdout.write("\\nwhole\\n")
`;

const MANY_LINES = `
for number in range(1000):
    print(number, "x" * 5000, sep="")
`;
