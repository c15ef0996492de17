import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { RunnerMessage } from '../../src/protocol/messages.ts';
import { StreamTransport } from '../../src/protocol/stream-transport.ts';

const ready =
  '__PTC_READY__{"protocol":1,"language":"python","version":"3.13.5"}__PTC_END_READY__\n';
const chunk =
  '__PTC_CHUNK__{"execution_id":"1","stream":"stdout","text":"hi","omitted_bytes":0}__PTC_END_CHUNK__\n';

interface Connection {
  readonly transport: StreamTransport;
  readonly stdin: PassThrough;
  readonly messages: RunnerMessage[];
  readonly ends: (Error | undefined)[];
  readonly destroyed: () => number;
  readonly receive: (text: string, stream?: 'stdout' | 'stderr') => void;
}

function connect(options: { listen?: boolean; maxFrameBytes?: number } = {}): Connection {
  const stdin = new PassThrough();
  const messages: RunnerMessage[] = [];
  const ends: (Error | undefined)[] = [];
  let destroyed = 0;
  const transport = new StreamTransport({
    stdin,
    destroy: () => {
      destroyed += 1;
    },
    ...(options.maxFrameBytes !== undefined && { maxFrameBytes: options.maxFrameBytes }),
  });
  const listener = {
    message: (message: RunnerMessage) => messages.push(message),
    closed: (error: Error | undefined) => ends.push(error),
  };
  if (options.listen !== false) transport.listen(listener);
  return {
    transport,
    stdin,
    messages,
    ends,
    destroyed: () => destroyed,
    receive: (text, stream = 'stdout') => transport.receive(stream, Buffer.from(text)),
  };
}

describe('a transport over a runner’s streams', () => {
  it('writes frames to the runner’s input', () => {
    const { transport, stdin } = connect();
    transport.send({ kind: 'cancel', execution_id: '7' });
    expect(String(stdin.read())).toBe('__PTC_CANCEL__{"execution_id":"7"}__PTC_END_CANCEL__\n');
  });

  it('gives messages in order, both streams apart', () => {
    const { messages, receive } = connect();
    receive(ready + chunk.slice(0, 20));
    receive(
      '__PTC_TOOL_CALL__{"execution_id":"1","call_id":"1","tool_name":"t","arguments":{}}__PTC_END_CALL__\n',
      'stderr',
    );
    receive(chunk.slice(20));
    expect(messages.map(({ kind }) => kind)).toEqual(['ready', 'tool-call', 'output-chunk']);
  });

  it('keeps what comes before anyone listens, the end included', () => {
    const { transport, receive } = connect({ listen: false });
    receive(ready + chunk);
    transport.end(new Error('gone'));
    const heard: string[] = [];
    transport.listen({
      message: ({ kind }) => heard.push(kind),
      closed: (error) => heard.push(`closed: ${error?.message}`),
    });
    expect(heard).toEqual(['ready', 'output-chunk', 'closed: gone']);
  });

  it('takes what an image prints before it is ready for diagnostics', () => {
    const { transport, messages, ends, receive } = connect();
    receive('Traceback:\n', 'stderr');
    receive('No module named json\n__PTC_', 'stderr');
    receive('banner\n');
    receive(ready);
    expect(messages.map(({ kind }) => kind)).toEqual(['ready']);
    expect(ends).toEqual([]);
    expect(transport.diagnostics()).toBe('Traceback:\nNo module named json\nbanner');
  });

  it('keeps four kilobytes of diagnostics, an unfinished line too, and shows broken text', () => {
    const { transport, receive } = connect();
    receive('x'.repeat(100_000));
    transport.end(undefined);
    expect(transport.diagnostics()).toBe('x'.repeat(4096));
    const other = connect();
    other.receive('sh: python3: not found', 'stderr');
    other.transport.end(undefined);
    expect(other.transport.diagnostics()).toBe('sh: python3: not found');
  });

  it.each(['stdout', 'stderr'] as const)(
    'ends for a line on %s that is no frame once it is ready',
    (stream) => {
      const { ends, destroyed, messages, receive } = connect();
      receive(ready);
      receive('leaked text\n', stream);
      receive(chunk);
      expect(ends).toMatchObject([{ code: 'PROTOCOL_VIOLATION' }]);
      expect(destroyed()).toBe(1);
      expect(messages).toHaveLength(1);
    },
  );

  it('ends for a frame over the limit before it is complete, and keeps none of it', () => {
    const { transport, ends, receive } = connect({ maxFrameBytes: 100 });
    receive(ready);
    receive('__PTC_CHUNK__'.padEnd(90, 'x'));
    expect(ends).toEqual([]);
    receive('x'.repeat(20));
    expect(ends).toMatchObject([{ code: 'PROTOCOL_VIOLATION' }]);
    expect(transport.diagnostics()).toBe('');
  });

  it('tells of its end once, whoever ends it, and sends nothing afterwards', () => {
    const { transport, ends, destroyed, stdin } = connect();
    transport.end(new Error('first'));
    transport.end(new Error('second'));
    transport.destroy();
    transport.send({ kind: 'exit' });
    expect(ends.map((error) => error?.message)).toEqual(['first']);
    expect(destroyed()).toBe(1);
    expect(stdin.read()).toBeNull();
  });

  it('is lost where the runner’s input breaks', async () => {
    const ends: (Error | undefined)[] = [];
    const broken = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('EPIPE')),
    });
    const transport = new StreamTransport({ stdin: broken, destroy: () => {} });
    const closed = new Promise<void>((resolve) => {
      transport.listen({
        message: () => {},
        closed: (error) => {
          ends.push(error);
          resolve();
        },
      });
    });
    transport.send({ kind: 'exit' });
    await closed;
    expect(ends).toMatchObject([{ code: 'SANDBOX_LOST', cause: { message: 'EPIPE' } }]);
  });
});
