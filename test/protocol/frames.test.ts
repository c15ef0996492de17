import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLine, encodeFrame } from '../../src/protocol/frames.ts';
import type { HostMessage, OutputStream } from '../../src/protocol/messages.ts';
import { readGoldenFrames } from '../support/golden-frames.ts';
import { codePoint } from '../support/code-point.ts';

const frames = await readGoldenFrames();

/** A line as it arrives, without its newline. */
function line(text: string): Buffer {
  return Buffer.from(text.replace(/\n$/, ''));
}

/** A line as the host writes it. */
function encoded(message: HostMessage): string {
  return Buffer.concat(encodeFrame(message)).toString();
}

const chunk = '{"execution_id":"1","stream":"stdout","text":"hi","omitted_bytes":0}';
const call = '{"execution_id":"1","call_id":"1","tool_name":"t","arguments":{}}';
const outcome =
  '{"execution_id":"1","success":true,"value":null,"error":null,"exit_code":0,"interpreter_end":null,"outputs":null}';
const ready = '{"protocol":1,"language":"python","version":"3.13.5"}';
const framed = {
  chunk: (body: string): string => `__PTC_OUTPUT_DELTA__${body}__PTC_END_OUTPUT_DELTA__`,
  call: (body: string): string => `__PTC_TOOL_CALL__${body}__PTC_END_CALL__`,
  outcome: (body: string): string => `__PTC_OUTPUT__${body}__PTC_END_OUTPUT__`,
  ready: (body: string): string => `__PTC_READY__${body}__PTC_END_READY__`,
};
const streamOf = { chunk: 'stdout', call: 'stderr', outcome: 'stdout', ready: 'stdout' } as const;

describe('golden frames', () => {
  it.each(frames)('the host reads or writes $name ($direction) byte for byte', (frame) => {
    const isToRunner = frame.direction === 'host-to-runner';
    const actual = isToRunner
      ? encoded(frame.message)
      : decodeLine(line(frame.bytes), frame.stream);
    expect(actual).toEqual(isToRunner ? frame.bytes : frame.message);
  });

  it('there is one for every kind of message', () => {
    expect(new Set(frames.map(({ message }) => message.kind))).toEqual(
      new Set([
        ...['configure', 'execute', 'tool-result', 'cancel', 'extend', 'attach', 'exit'],
        ...['file-request', 'file-cancel', 'file-answer'],
        ...[
          'ready',
          'configured',
          'attached',
          'tool-call',
          'call-given-up',
          'waiting',
          'output-delta',
          'image',
          'report',
          'value',
          'outcome',
        ],
      ]),
    );
  });
});

describe('frames to the runner', () => {
  it('are one line of JSON between markers, whatever text they carry', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string(), (code, id) => {
        const frame = encoded({
          kind: 'execute',
          language: 'python',
          execution_id: id,
          code,
          time_limit_ms: 1,
        });
        expect(frame.indexOf('\n')).toBe(frame.length - 1);
        const body = frame.slice('__PTC_EXECUTE__'.length, -'__PTC_END_EXECUTE__\n'.length);
        const rest = { language: 'python', time_limit_ms: 1 };
        expect(JSON.parse(body)).toEqual({ execution_id: id, code, ...rest });
      }),
    );
  });

  it('carry a result’s JSON as it is', () => {
    const text = '{"big":12345678901234567890,"spaced" : 1.0}';
    const message: HostMessage = {
      kind: 'tool-result',
      call_id: 'c',
      result: { text },
      error: null,
    };
    expect(encoded(message)).toContain(`"result":${text}}`);
  });
});

describe('lines of a runner', () => {
  it('any text of a chunk arrives as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const body = JSON.stringify({ ...JSON.parse(chunk), text });
        expect(decodeLine(line(framed.chunk(body)), 'stdout')).toMatchObject({ text });
      }),
    );
  });

  it('a line that begins as no frame is noise', () => {
    for (const text of [
      'hello',
      '',
      ' __PTC_OUTPUT_DELTA__{}',
      '__PTC_UNKNOWN__{}',
      '__PTC_EXECUTE__{}',
    ]) {
      expect(decodeLine(line(text), 'stdout')).toEqual({ kind: 'noise', text });
    }
  });

  it.each(Object.keys(framed) as (keyof typeof framed)[])(
    'a %s frame on the wrong stream is a violation',
    (kind) => {
      const body = { chunk, call, outcome, ready }[kind];
      const wrong: OutputStream = streamOf[kind] === 'stdout' ? 'stderr' : 'stdout';
      expect(decodeLine(line(framed[kind](body)), streamOf[kind]).kind).not.toBe('noise');
      expect(() => decodeLine(line(framed[kind](body)), wrong)).toThrow(
        expect.objectContaining({ code: 'PROTOCOL_VIOLATION', details: { stream: wrong } }),
      );
    },
  );

  it.each([
    ['no closing marker', '__PTC_OUTPUT_DELTA__{}'],
    ['the closing marker of another frame', `__PTC_OUTPUT_DELTA__${chunk}__PTC_END_OUTPUT__`],
    ['something after its closing marker', `${framed.chunk(chunk)} `],
    ['two frames in a line', framed.chunk(chunk) + framed.chunk(chunk)],
    ['no JSON', framed.chunk('{"execution_id":')],
    ['nothing', framed.chunk('')],
    ['an array', framed.chunk('[]')],
    ['null', framed.chunk('null')],
    ['NaN', framed.outcome(outcome.replace('"exit_code":0', '"exit_code":NaN'))],
  ])('a frame with %s is a violation', (_, text) => {
    expect(() => decodeLine(line(text), 'stdout')).toThrow(
      expect.objectContaining({ code: 'PROTOCOL_VIOLATION' }),
    );
  });

  it('a line that is no UTF-8 is a violation [case 65]', () => {
    const bytes = Buffer.concat([
      Buffer.from('__PTC_OUTPUT_DELTA__{"text":"'),
      Buffer.from([0xff, 0xfe]),
    ]);
    expect(() => decodeLine(bytes, 'stdout')).toThrow(/not UTF-8/);
  });

  it.each(
    Object.entries({ chunk, call, outcome, ready }).flatMap(([kind, body]) =>
      Object.keys(JSON.parse(body)).map((field) => [kind as keyof typeof framed, field] as const),
    ),
  )('a %s frame without %s, or with a wrong one, is a violation that names it', (kind, field) => {
    const body: Record<string, unknown> = JSON.parse({ chunk, call, outcome, ready }[kind]);
    const { [field]: _, ...without } = body;
    for (const bad of [without, { ...body, [field]: [1] }]) {
      expect(() => decodeLine(line(framed[kind](JSON.stringify(bad))), streamOf[kind])).toThrow(
        new RegExp(`${field} of a`),
      );
    }
  });

  it.each([
    ['arguments', framed.call(call.replace('{}', '[]')), 'stderr'],
    ['omitted_bytes', framed.chunk(chunk.replace(':0', ':-1')), 'stdout'],
    ['omitted_bytes', framed.chunk(chunk.replace(':0', ':1e308')), 'stdout'],
    ['stream', framed.chunk(chunk.replace('"stdout"', '"stdin"')), 'stdout'],
    ['exit_code', framed.outcome(outcome.replace('"exit_code":0', '"exit_code":1.5')), 'stdout'],
    ['error', framed.outcome(outcome.replace('"error":null', '"error":{}')), 'stdout'],
    [
      'interpreter_end',
      framed.outcome(
        outcome.replace('"interpreter_end":null', '"interpreter_end":{"reason":"?","status":1}'),
      ),
      'stdout',
    ],
    ['execution_id', framed.chunk(chunk.replace('"execution_id"', '"__proto__"')), 'stdout'],
  ] as const)('an impossible %s is a violation', (field, text, stream) => {
    expect(() => decodeLine(line(text), stream)).toThrow(new RegExp(`${field} of an? `));
  });

  it('an error names the kind of its frame', () => {
    const open = '__PTC_OUTPUT__{';
    expect(() => decodeLine(line(open), 'stdout')).toThrow(
      ': an outcome frame has no closing marker.',
    );
    expect(() => decodeLine(line(open), 'stderr')).toThrow(
      ': an outcome frame was sent on stderr.',
    );
    const unended = framed.call('{');
    expect(() => decodeLine(line(unended), 'stderr')).toThrow(': a tool-call frame is not JSON');
  });

  it('__proto__ keys are data and change no prototype', () => {
    const body = call.replace('{}', '{"__proto__":{"polluted":1},"constructor":{"x":1}}');
    const message = decodeLine(line(framed.call(body)), 'stderr');
    expect(message).toMatchObject({ kind: 'tool-call' });
    const prototypes = [Object.prototype, Object.getPrototypeOf(message)];
    expect(prototypes.every((one) => !('polluted' in one))).toBe(true);
    const own = decodeLine(
      line(framed.chunk(chunk.replace('{', '{"__proto__":{"kind":"outcome","polluted":1},'))),
      'stdout',
    );
    expect(own.kind).toBe('output-delta');
    expect('polluted' in own).toBe(false);
  });

  it('fields beyond the message’s, and a kind of its own, change nothing', () => {
    const body = chunk.replace('{', '{"kind":"outcome","success":true,');
    expect(decodeLine(line(framed.chunk(body)), 'stdout').kind).toBe('output-delta');
  });

  it('no line makes the reader throw anything but a violation [host/frame-fields]', () => {
    const open = fc.constantFrom('', ...Object.values(framed).map((frame) => frame('|')));
    fc.assert(
      fc.property(open, fc.json(), fc.constantFrom('stdout', 'stderr'), (frame, json, stream) => {
        try {
          decodeLine(line(frame.replace('|', () => json)), stream);
        } catch (error) {
          expect(error).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a value that a program hands back', () => {
  const value = (json: string): Buffer =>
    line(`__PTC_VALUE__{"execution_id":"1","value":${json}}__PTC_END_VALUE__`);

  it.each(['null', '0', '"text"', '[]', '{"a":[{"b":true}]}', '1e300', '-2.5', '9007199254740991'])(
    'arrives as it was: %s',
    (json) => {
      const message = decodeLine(value(json), 'stdout');
      expect(message).toEqual({ kind: 'value', execution_id: '1', value: JSON.parse(json) });
    },
  );

  it('has objects that inherit nothing', () => {
    const message = decodeLine(value('[{"constructor":{}}]'), 'stdout');
    const [found] = 'value' in message && Array.isArray(message.value) ? message.value : [];
    expect([found, found.constructor].map(Object.getPrototypeOf)).toEqual([null, null]);
  });

  it.each([
    ['is no JSON', '{a:1}'],
    ['is missing', ''],
    ['has a number beyond a double', '[1e400]'],
    ['has a number that would be changed', '[1152921504606846977]'],
    ['has half of a surrogate pair', String.raw`["\ud800"]`],
    ['has half of a surrogate pair in a key', String.raw`{"\udfff":1}`],
    ['has a key __proto__', '{"a":{"__proto__":1}}'],
    ['is nested too deep', '['.repeat(64) + ']'.repeat(64)],
    ['has more values than a call may have', `[${'0,'.repeat(20_005)}0]`],
    ['takes more bytes than a call may take', `"${'x'.repeat(1024 * 1024)}"`],
  ])('that %s is a violation', (_, json) => {
    expect(() => decodeLine(value(json), 'stdout')).toThrow(
      expect.objectContaining({ code: 'PROTOCOL_VIOLATION' }),
    );
  });

  it('is read as deep and as large as a call', () => {
    const deep = '['.repeat(63) + ']'.repeat(63);
    const many = `[${'0,'.repeat(19_990)}0]`;
    const long = `"${'x'.repeat(1_000_000)}"`;
    for (const json of [deep, many, long]) {
      expect(decodeLine(value(json), 'stdout').kind).toBe('value');
    }
    const limits = { bytes: 4_000_000, values: 100_000 };
    expect(decodeLine(value(`"${'x'.repeat(3_000_000)}"`), 'stdout', limits).kind).toBe('value');
  });

  it('on standard error is a violation', () => {
    expect(() => decodeLine(value('1'), 'stderr')).toThrow(': a value frame was sent on stderr.');
  });
});
