import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOfStream } from '../../../src/execution/files/content-pieces.ts';
import { linesOf } from '../../../src/execution/files/line-range.ts';
import { FILE_PIECE_BYTES } from '../../../src/protocol/frames.ts';

async function* streamOf<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}

it('content of any sizes is cut into full pieces and one last piece', async () => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom(FILE_PIECE_BYTES - 1, FILE_PIECE_BYTES, FILE_PIECE_BYTES + 1, 600_000),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 6 }), async (sizes) => {
      const parts = sizes.map((length, index) => Buffer.alloc(length, index + 1));
      const all = Buffer.concat(parts);
      const pieces = [];
      for await (const piece of piecesOfStream(streamOf(parts))) pieces.push(piece);
      expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(all)).toBe(true);
      expect(pieces.map(({ isLast }) => isLast).lastIndexOf(false)).toBe(pieces.length - 2);
      const sizesOfPieces = pieces.map(({ bytes }) => bytes.length);
      expect(sizesOfPieces.slice(0, -1).every((one) => one === FILE_PIECE_BYTES)).toBe(true);
      expect(sizesOfPieces.at(-1)).toBeLessThanOrEqual(FILE_PIECE_BYTES);
    }),
    { numRuns: 50 },
  );
});

async function contentOf(parts: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const pieces = [];
  for await (const { bytes } of piecesOfStream(parts)) pieces.push(bytes);
  return Buffer.concat(pieces);
}

it('a stream may fill one buffer again and again', async () => {
  async function* parts(): AsyncGenerator<Uint8Array, void> {
    const buffer = Buffer.alloc(5000);
    for (let count = 1; count <= 120; count += 1) yield buffer.fill(count);
  }
  const all = Array.from({ length: 120 }, (_, index) => Buffer.alloc(5000, index + 1));
  expect((await contentOf(parts())).equals(Buffer.concat(all))).toBe(true);
});

it.each([
  [['a\ud83d', '\ude00b'], 'a😀b'],
  [['\ud83d', '', '\ude00', '\ud83d'], '😀\ufffd'],
  [['\ud83d', Buffer.from('-'), '\ude00'], '\ufffd-\ufffd'],
])('the texts %j of a stream are one text', async (parts, text) => {
  expect((await contentOf(streamOf(parts))).toString()).toBe(text);
});

it('a part that is neither text nor bytes is refused', async () => {
  const pieces = piecesOfStream(streamOf([5]) as AsyncGenerator<never>);
  await expect(pieces.next()).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

it('lines are the same wherever the pieces are cut', async () => {
  const text = fc.stringMatching(/^[ab\n]{0,12}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 5 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 8 }),
      async (parts, first, more) => {
        const lines = parts.join('').match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const { bytes: taken, end } = await linesOf(
          streamOf(parts.map((part) => Buffer.from(part))),
          first,
          first + more,
        );
        expect(Buffer.from(taken).toString()).toBe(lines.slice(first - 1, first + more).join(''));
        expect(end).toBe(lines.slice(0, first + more).join('').length);
      },
    ),
  );
});

it('no more is read than the last line needs', async () => {
  let read = 0;
  async function* parts(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      read += 1;
      yield Buffer.from('a\n');
    }
  }
  const { bytes } = await linesOf(parts(), 2, 3);
  expect(Buffer.from(bytes).toString()).toBe('a\na\n');
  expect(read).toBe(3);
});
