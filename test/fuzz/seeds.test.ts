import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StreamTransport } from '../../src/protocol/stream-transport.ts';
import { StreamDemultiplexer } from '../../src/providers/docker/container/attach.ts';
import { PtcError } from '../../src/shared/errors.ts';

interface TargetModule {
  makeJudge(this: void, product: object): (input: Buffer) => Promise<void>;
}

const { makeJudge }: TargetModule = await import(
  String(new URL('../../bench/fuzz/target.mjs', import.meta.url))
);
const directory = new URL('seeds/', import.meta.url);
const names = readdirSync(directory);

describe('what fuzzing found, and what it should have', () => {
  const judge = makeJudge({ StreamTransport, StreamDemultiplexer, PtcError });

  it.each(names)('%s is taken as any bytes of a sandbox must be', async (name) => {
    const input = readFileSync(new URL(name, directory));
    // `judge` throws what is wrong; it has to have judged something for that.
    expect(input.length).toBeGreaterThan(0);
    await judge(input);
  });

  it('is judged by what can fail', async () => {
    class Careless extends StreamDemultiplexer {
      override push(chunk: Buffer): void {
        if (chunk.length < 8) throw new TypeError('a header that is cut');
        super.push(chunk);
      }
    }
    const harsh = makeJudge({ StreamTransport, StreamDemultiplexer: Careless, PtcError });
    const input = readFileSync(new URL('parts-of-one-byte.bin', directory));
    await expect(harsh(input)).rejects.toThrow(/cut/);
  });
});
