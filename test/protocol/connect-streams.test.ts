import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { connectStreams } from '../../src/protocol/stream-transport.ts';

const ready =
  '__PTC_READY__{"protocol":1,"language":"python","version":"3.13.5"}__PTC_END_READY__\n';

describe('a transport over separate streams', () => {
  it('reads both outputs, and closes the input when it is destroyed', async () => {
    const streams = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    };
    const transport = connectStreams(streams);
    const kinds: string[] = [];
    transport.listen({ message: ({ kind }) => kinds.push(kind), closed: () => {} });
    streams.stdout.write('out\n');
    streams.stderr.write('err\n');
    await expect.poll(() => transport.diagnostics()).toBe('out\nerr');
    streams.stdout.write(ready);
    await expect.poll(() => kinds).toEqual(['ready']);
    transport.destroy();
    expect(streams.stdin.destroyed).toBe(true);
  });

  it.each(['stdin', 'stdout', 'stderr'] as const)('ends if %s breaks', async (name) => {
    const streams = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    };
    const transport = connectStreams(streams);
    const ends: unknown[] = [];
    transport.listen({ message: () => {}, closed: (error) => ends.push(error) });
    streams[name].destroy(new Error('The line is cut.'));
    await expect.poll(() => ends).toEqual([expect.objectContaining({ code: 'SANDBOX_LOST' })]);
  });
});
