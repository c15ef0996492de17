import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FrameWriter } from '../../src/protocol/frame-writer.ts';
import { StreamTransport } from '../../src/protocol/stream-transport.ts';

/** What is written, one item for each write. */
function connect(): { writer: FrameWriter; writes: string[] } {
  const writes: string[] = [];
  const stdin = new Writable({
    write: (chunk, _encoding, done) => {
      writes.push(String(chunk));
      done();
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  return { writer: new FrameWriter(stdin), writes };
}

const frame = (...parts: string[]): Buffer[] => parts.map((part) => Buffer.from(part));

describe('frames to a runner', () => {
  it('are written at once if they are the first of a turn, and together if they follow it', () => {
    const { writer, writes } = connect();
    writer.write(frame('a'));
    expect(writes).toEqual(['a']);
    writer.write(frame('b'));
    writer.write(frame('c'));
    expect(writes).toEqual(['a']);
    writer.endTurn();
    expect(writes).toEqual(['a', 'bc']);
    writer.write(frame('d'));
    expect(writes).toEqual(['a', 'bc', 'd']);
  });

  it('are one write each, however many parts they have', () => {
    const { writer, writes } = connect();
    writer.write(frame('a', 'b'));
    expect(writes).toEqual(['ab']);
  });

  it('are written before the turn ends if they are more than 8 KiB', () => {
    const { writer, writes } = connect();
    const kilobyte = 'x'.repeat(1024);
    for (let count = 0; count < 20; count += 1) writer.write(frame(kilobyte));
    expect(writes.map(({ length }) => length / 1024)).toEqual([1, 9, 9]);
    writer.endTurn();
    expect(writes.join('').length / 1024).toBe(20);
  });

  it('that are held are written when they are asked for', () => {
    const { writer, writes } = connect();
    writer.write(frame('a'));
    writer.write(frame('b'));
    writer.flush();
    expect(writes).toEqual(['a', 'b']);
    writer.flush();
    expect(writes).toEqual(['a', 'b']);
  });

  it('of a transport are written at the end of their turn, or when it is destroyed', async () => {
    const stdin = new PassThrough();
    const transport = new StreamTransport({ stdin, destroy: () => {} });
    const send = (id: string): void => transport.send({ kind: 'cancel', execution_id: id });
    const read = (): string[] => String(stdin.read() ?? '').match(/\d+/g) ?? [];
    send('1');
    send('2');
    send('3');
    expect(read()).toEqual(['1']);
    await nextTurn();
    expect(read()).toEqual(['2', '3']);
    send('4');
    send('5');
    transport.destroy();
    expect(read()).toEqual(['4', '5']);
  });
});
