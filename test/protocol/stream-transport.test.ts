import { PassThrough, type Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunnerMessage } from '../../src/protocol/messages.ts';
import { StreamTransport } from '../../src/protocol/stream-transport.ts';
import { LARGE_WORK } from '../../src/shared/async/event-loop-work.ts';

const ready =
  '__PTC_READY__{"protocol":1,"language":"python","version":"3.13.5"}__PTC_END_READY__\n';
const chunk =
  '__PTC_OUTPUT_DELTA__{"execution_id":"1","stream":"stdout","text":"hi","omitted_bytes":0}__PTC_END_OUTPUT_DELTA__\n';

interface Connection {
  readonly transport: StreamTransport;
  readonly stdin: PassThrough;
  readonly messages: RunnerMessage[];
  readonly ends: (Error | undefined)[];
  readonly destroyed: () => number;
  /** Settles when it has been read, which may be in a later turn of the event loop. */
  readonly receive: (text: string, stream?: 'stdout' | 'stderr') => Promise<void>;
}

function connect(
  options: { listen?: boolean; maxCallBytes?: number; sources?: readonly Readable[] } = {},
): Connection {
  const stdin = new PassThrough();
  const messages: RunnerMessage[] = [];
  const ends: (Error | undefined)[] = [];
  let destroyed = 0;
  const transport = new StreamTransport({
    stdin,
    destroy: () => {
      destroyed += 1;
    },
    sources: options.sources ?? [],
  });
  const listener = {
    message: (message: RunnerMessage) => messages.push(message),
    closed: (error: Error | undefined) => ends.push(error),
  };
  const calls = { bytes: options.maxCallBytes ?? 1_000_000, values: 1000 };
  if (options.listen !== false) transport.listen(listener, calls);
  return {
    transport,
    stdin,
    messages,
    ends,
    destroyed: () => destroyed,
    receive: async (text, stream = 'stdout') => {
      transport.receive(stream, Buffer.from(text));
      await nextTurn();
      await nextTurn();
    },
  };
}

describe('a transport over a runner’s streams', () => {
  it('writes frames to the runner’s input', () => {
    const { transport, stdin } = connect();
    transport.send({ kind: 'cancel', execution_id: '7' });
    expect(String(stdin.read())).toBe('__PTC_CANCEL__{"execution_id":"7"}__PTC_END_CANCEL__\n');
  });

  it('writes bytes, for a socket encodes all the strings that wait in it in one turn of the event loop', () => {
    const written: unknown[] = [];
    const stdin = new Writable({
      decodeStrings: false,
      write: (frame, _encoding, done) => {
        written.push(frame);
        done();
      },
    });
    const transport = new StreamTransport({ stdin, destroy: () => {} });
    transport.send({ kind: 'cancel', execution_id: '7' });
    expect(written).toEqual([
      Buffer.from('__PTC_CANCEL__{"execution_id":"7"}__PTC_END_CANCEL__\n'),
    ]);
  });

  it('gives messages in order, both streams apart', async () => {
    const { messages, receive } = connect();
    await receive(ready + chunk.slice(0, 20));
    await receive(
      '__PTC_TOOL_CALL__{"execution_id":"1","call_id":"1","tool_name":"t","arguments":{}}__PTC_END_CALL__\n',
      'stderr',
    );
    await receive(chunk.slice(20));
    expect(messages.map(({ kind }) => kind)).toEqual(['ready', 'tool-call', 'output-delta']);
  });

  it('ignores any bytes before the runner is ready, such as the rest of the bytes of a file', async () => {
    const { transport, messages, ends, receive } = connect();
    transport.receive('stdout', Buffer.from([0x89, 0xff, 0xfe, 0x0a]));
    await receive(ready);
    expect(messages).toMatchObject([{ kind: 'ready' }]);
    expect(ends).toEqual([]);
    transport.receive('stdout', Buffer.from([0xff, 0x0a]));
    await nextTurn();
    expect(ends).toMatchObject([{ code: 'PROTOCOL_VIOLATION' }]);
  });

  it('reads nothing before anyone listens, and then everything, the end included', async () => {
    const source = new PassThrough();
    const { transport, receive } = connect({ listen: false, sources: [source] });
    await receive(ready + chunk);
    transport.end(new Error('gone'));
    expect(source.isPaused()).toBe(true);
    const heard: string[] = [];
    await new Promise<void>((resolve) => {
      transport.listen({
        message: ({ kind }) => heard.push(kind),
        closed: (error) => {
          heard.push(`closed: ${error?.message}`);
          resolve();
        },
      });
    });
    expect(heard).toEqual(['ready', 'output-delta', 'closed: gone']);
    expect(source.isPaused()).toBe(false);
  });

  it('takes what an image prints before it is ready for diagnostics', async () => {
    const { transport, messages, ends, receive } = connect();
    await receive('Traceback:\n', 'stderr');
    await receive('No module named json\n__PTC_', 'stderr');
    await receive('banner\n');
    await receive(ready);
    expect(messages.map(({ kind }) => kind)).toEqual(['ready']);
    expect(ends).toEqual([]);
    expect(transport.diagnostics()).toBe('Traceback:\nNo module named json\nbanner');
  });

  it('keeps four kilobytes of diagnostics, an unfinished line too, and shows broken text [waiting/diagnostics]', async () => {
    const { transport, receive } = connect();
    await receive('x'.repeat(100_000));
    transport.end(undefined);
    expect(transport.diagnostics()).toBe('x'.repeat(4096));
    const other = connect();
    await other.receive('sh: python3: not found', 'stderr');
    other.transport.end(undefined);
    expect(other.transport.diagnostics()).toBe('sh: python3: not found');
  });

  it.each(['stdout', 'stderr'] as const)(
    'ends for a line on %s that is not a frame once it is ready',
    async (stream) => {
      const { ends, destroyed, messages, receive } = connect();
      await receive(ready);
      await receive('leaked text\n', stream);
      await receive(chunk);
      expect(ends).toMatchObject([{ code: 'PROTOCOL_VIOLATION' }]);
      expect(destroyed()).toBe(1);
      expect(messages).toHaveLength(1);
    },
  );

  it('ends for a call over the limit before it is complete, and keeps none of it [host/frame-size, waiting/bytes]', async () => {
    const { transport, ends, receive } = connect({ maxCallBytes: 100 });
    await receive(ready);
    await receive('__PTC_TOOL_CALL__'.padEnd(90, 'x'), 'stderr');
    expect(ends).toEqual([]);
    await receive('x'.repeat(20), 'stderr');
    expect(ends).toMatchObject([{ code: 'PROTOCOL_VIOLATION' }]);
    expect(transport.diagnostics()).toBe('');
  });

  it('reads thousands of lines in turns, between which timers fire, and then tells of the end [waiting/bytes]', async () => {
    const source = new PassThrough();
    const messages: RunnerMessage[] = [];
    const transport = new StreamTransport({
      stdin: new PassThrough(),
      destroy: () => {},
      sources: [source],
    });
    const ended = new Promise<void>((resolve) => {
      transport.listen({ message: (message) => messages.push(message), closed: () => resolve() });
    });
    const lines = 50_000;
    transport.receive('stdout', Buffer.from(chunk.repeat(lines)));
    transport.end(undefined);
    // Reading them all takes far longer than one turn may.
    expect(messages.length).toBeLessThan(lines);
    expect(source.isPaused()).toBe(true);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await ended;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
    expect(messages).toHaveLength(lines);
    expect(source.isPaused()).toBe(false);
  });

  it('gives each line a turn of its own that takes its reader long', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const turnsOfLines: number[] = [];
    const transport = new StreamTransport({ stdin: new PassThrough(), destroy: () => {} });
    const ended = new Promise<void>((resolve) => {
      transport.listen({
        message: () => {
          turnsOfLines.push(turns);
          for (const begin = performance.now(); performance.now() - begin < 15;);
        },
        closed: () => resolve(),
      });
    });
    setImmediate(count);
    transport.receive('stdout', Buffer.from(chunk.repeat(5)));
    transport.end(undefined);
    await ended;
    isOver = true;
    expect(new Set(turnsOfLines).size).toBe(5);
  });

  it('gives each large line a turn of its own among all transports, and keeps the order of lines', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const large = chunk.replace('hi', 'x'.repeat(LARGE_WORK));
    const turnsOfLarge: number[] = [];
    const read = async (): Promise<string[]> => {
      const texts: string[] = [];
      const transport = new StreamTransport({ stdin: new PassThrough(), destroy: () => {} });
      const ended = new Promise<void>((resolve) => {
        transport.listen({
          message: (message, line) => {
            if (line.length > LARGE_WORK) turnsOfLarge.push(turns);
            texts.push('text' in message ? message.text.slice(0, 2) : '');
          },
          closed: () => resolve(),
        });
      });
      transport.receive('stdout', Buffer.from(large + chunk + chunk + large + chunk));
      transport.end(undefined);
      await ended;
      return texts;
    };
    setImmediate(count);
    const texts = await Promise.all([read(), read()]);
    isOver = true;
    expect(texts).toEqual([
      ['xx', 'hi', 'hi', 'xx', 'hi'],
      ['xx', 'hi', 'hi', 'xx', 'hi'],
    ]);
    expect(new Set(turnsOfLarge).size).toBe(4);
  });

  it('has its sources go on when it is destroyed in between, and drops what they bring', async () => {
    const source = new PassThrough();
    const { transport, messages } = connect({ sources: [source] });
    transport.receive('stdout', Buffer.from(chunk.repeat(50_000)));
    const heard = messages.length;
    transport.destroy();
    expect(source.isPaused()).toBe(false);
    await nextTurn();
    transport.receive('stdout', Buffer.from(chunk));
    expect(messages).toHaveLength(heard);
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
