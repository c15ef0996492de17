import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inBackground } from '../../../src/shared/async/background.ts';
import { Patience } from '../../../src/shared/held-names/ask-holder.ts';
import { askForName, type HeldName, holdName } from '../../../src/shared/held-names/held-name.ts';
import { NameFiles } from '../../../src/shared/held-names/name-files.ts';

const { signal } = new AbortController();

/** A name that is held, and how often it was asked for. */
interface Held {
  readonly name: string;
  readonly holder: HeldName;
  readonly asked: () => number;
}

/** @param onAsked - @default whoever asks has to wait */
async function hold(onAsked: (holder: HeldName) => boolean = () => false): Promise<Held> {
  const name = randomUUID();
  let asked = 0;
  const holder: HeldName | undefined = await holdName(name, {
    onAsked: () => {
      asked += 1;
      return holder !== undefined && onAsked(holder);
    },
  });
  if (holder === undefined) throw new Error(`${name} is not unique`);
  return { name, holder, asked: () => asked };
}

describe('a name that another process asks for', () => {
  it('goes to it at once if its holder lets go', async () => {
    const { name } = await hold((holder) => {
      inBackground(holder.release());
      return true;
    });
    expect(await askForName(name, new Patience(0), signal)).toBeUndefined();
    const mine = await holdName(name);
    expect(mine).toBeDefined();
    await mine?.release();
  });

  it('stays with a holder that uses it, and goes to those who wait when it is released', async () => {
    const { name, holder, asked } = await hold();
    expect(await askForName(name, new Patience(0), signal)).toEqual({ advertised: undefined });
    expect(await askForName(name, new Patience(1), signal)).toEqual({ advertised: undefined });
    const waiting = askForName(name, new Patience(60_000), signal);
    await expect.poll(asked).toBe(3);
    expect(holder.isWanted).toBe(true);
    const released = holder.release();
    expect(await waiting).toBeUndefined();
    await (await holdName(name))?.release();
    await released;
  });

  it('goes to who asked first, before others and before its holder takes it again', async () => {
    // No time limit ends before the first one has it.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { name, holder, asked } = await hold();
    const order: string[] = [];
    const first = askForName(name, new Patience(60_000), signal);
    await expect.poll(asked).toBe(1);
    const second = askForName(name, new Patience(60_000), signal);
    await expect.poll(asked).toBe(2);
    const told = second.then(() => order.push('the second is told'));
    const again = holder.release().then(async () => holdName(name));
    await first;
    const mine = await holdName(name);
    order.push('the first has it');
    expect(mine).toBeDefined();
    expect(await again).toBeUndefined();
    await told;
    expect(order).toEqual(['the first has it', 'the second is told']);
    await mine?.release();
  });

  it('is free for all if the one whose turn it is does not take it', async () => {
    const { name, holder } = await hold();
    const waiting = askForName(name, new Patience(60_000), signal);
    await expect.poll(() => holder.isWanted).toBe(true);
    await Promise.all([holder.release(), waiting]);
    const mine = await holdName(name);
    expect(mine).toBeDefined();
    await mine?.release();
  });

  it('is no longer wanted if the other process gives up', async () => {
    const { name, holder } = await hold();
    const controller = new AbortController();
    const waiting = askForName(name, new Patience(60_000), controller.signal);
    await expect.poll(() => holder.isWanted).toBe(true);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect.poll(() => holder.isWanted).toBe(false);
    await holder.release();
  });

  it('is asked for once by a process, whatever that sends and however much', async () => {
    const { name, holder, asked } = await hold();
    const files = await NameFiles.of(name);
    const [claim] = await files.liveClaims();
    const socket = connect(files.path(claim?.unique ?? '', 'claim'));
    socket.write('!'.repeat(2 ** 20));
    socket.end('+-?!\n');
    let answers = '';
    socket.on('data', (data) => (answers += data.toString()));
    await once(socket, 'close');
    expect([answers, asked()]).toEqual(['-\n', 1]);
    await expect.poll(() => holder.isWanted).toBe(false);
    await holder.release();
  });
});

it('the time of other work does not count for how long a process waits for a name', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const patience = new Patience(5000);
  await patience.during(async () => {
    vi.advanceTimersByTime(60_000);
  });
  vi.advanceTimersByTime(1000);
  expect(patience.deadline - performance.now()).toBe(4000);
  expect(patience.answerDeadline - performance.now()).toBe(4000);
});
