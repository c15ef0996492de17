import { expect, it } from 'vitest';

interface ByteRing {
  write(bytes: Uint8Array): number;
  read(limit?: number): Uint8Array;
  readInto(target: Uint8Array): number;
  readonly isEmpty: boolean;
}

const runnerFile = (name: string): string =>
  String(new URL(`../../../runner/embedded/${name}`, import.meta.url));
const ring = (await import(runnerFile('byte-ring.mjs'))) as {
  readonly ByteRing: (new (memory: object, capacity: number) => ByteRing) & {
    allocate(capacity: number): object;
  };
};
const { Lines } = (await import(runnerFile('lines.mjs'))) as {
  readonly Lines: new () => { push(bytes: Uint8Array): Iterable<Uint8Array> };
};

const CAPACITY = 64;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

it('a queue between threads gives all bytes in their order, in both ways to read them', () => {
  const queue = new ring.ByteRing(ring.ByteRing.allocate(CAPACITY), CAPACITY);
  const target = new Uint8Array(7);
  let [sent, received] = ['', ''];
  for (let round = 0; round < 200; round += 1) {
    const part = String(round).repeat(round % 9);
    sent += part;
    for (let rest = bytes(part); rest.length > 0; rest = rest.subarray(queue.write(rest))) {
      received +=
        round % 2 === 0 ? text(queue.read(11)) : text(target.slice(0, queue.readInto(target)));
    }
  }
  while (!queue.isEmpty) received += text(target.slice(0, queue.readInto(target)));
  expect(received).toBe(sent);
});

it('a queue fills no more of the memory for what is read than it has', () => {
  const queue = new ring.ByteRing(ring.ByteRing.allocate(CAPACITY), CAPACITY);
  queue.write(bytes('abc'));
  const target = bytes('.....');
  expect(queue.readInto(target)).toBe(3);
  expect(text(target)).toBe('abc..');
  expect(queue.readInto(target)).toBe(0);
});

it('lines with data in front are split from parts of any size', () => {
  const whole = bytes('one\n__PTC_DATA__000010a\nb\nc\nd\ne\nframe\n__PTC_DATA__000000last\n');
  for (let size = 1; size <= whole.length; size += 1) {
    const lines = new Lines();
    const found: string[] = [];
    for (let start = 0; start < whole.length; start += size) {
      for (const line of lines.push(whole.subarray(start, start + size))) found.push(text(line));
    }
    expect(found).toEqual([
      'one\n',
      '__PTC_DATA__000010a\nb\nc\nd\ne\nframe\n',
      '__PTC_DATA__000000last\n',
    ]);
  }
});
