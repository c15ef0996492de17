import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LineReader } from '../../src/cli/terminal/line-reader.ts';

const LINES_OF_CHUNK = 1000;
const CHUNKS = 200;

/** A pipe with many chunks, which counts those that were taken. */
class Pipe extends Readable {
  readonly isTTY = false;
  taken = 0;

  constructor() {
    // That of Node 20. Later releases read more ahead.
    super({ highWaterMark: 16 * 1024 });
  }

  override _read(): void {
    this.taken += 1;
    this.push(this.taken > CHUNKS ? null : `${this.taken}\n`.repeat(LINES_OF_CHUNK));
  }
}

function readerOf(input: Pipe): LineReader {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new LineReader({
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    prompt: '',
    onInterrupt: () => {},
  });
}

/** Time for all chunks to be taken, if nothing stops that. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 2 * CHUNKS; turn += 1) await setImmediate();
}

it('reads a pipe only as far as lines are wanted', async () => {
  const input = new Pipe();
  using reader = readerOf(input);
  await manyTurns();
  expect(input.taken).toBeLessThan(10);
  expect(await reader.read()).toBe('1');
  await manyTurns();
  expect(input.taken).toBeLessThan(20);
});

it('reads no further if nobody wants the line any more', async () => {
  const input = new Pipe();
  using reader = readerOf(input);
  const unwanted = new AbortController();
  const line = reader.read(unwanted.signal);
  unwanted.abort();
  expect(await line).toBeUndefined();
  await manyTurns();
  expect(input.taken).toBeLessThan(20);
});
