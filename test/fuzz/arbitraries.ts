import * as fc from 'fast-check';
import type { OutputStream, RunnerMessage } from '../../src/protocol/messages.ts';
import { codePoint } from '../support/code-point.ts';

/** A line as a runner may write it, and where. */
export interface Line {
  readonly bytes: Buffer;
  readonly stream: OutputStream;
}

/** How each message of a runner is framed; written out here, so that a change of the reader is seen. */
const FRAMES: Record<RunnerMessage['kind'], readonly [OutputStream, string, string]> = {
  'tool-call': ['stderr', '__PTC_TOOL_CALL__', '__PTC_END_CALL__'],
  'call-given-up': ['stderr', '__PTC_CALL_GIVEN_UP__', '__PTC_END_CALL_GIVEN_UP__'],
  waiting: ['stderr', '__PTC_WAITING__', '__PTC_END_WAITING__'],
  'output-delta': ['stdout', '__PTC_OUTPUT_DELTA__', '__PTC_END_OUTPUT_DELTA__'],
  image: ['stdout', '__PTC_IMAGE__', '__PTC_END_IMAGE__'],
  report: ['stdout', '__PTC_REPORT__', '__PTC_END_REPORT__'],
  value: ['stdout', '__PTC_VALUE__', '__PTC_END_VALUE__'],
  outcome: ['stdout', '__PTC_OUTPUT__', '__PTC_END_OUTPUT__'],
  configured: ['stdout', '__PTC_CONFIGURED__', '__PTC_END_CONFIGURED__'],
  ready: ['stdout', '__PTC_READY__', '__PTC_END_READY__'],
  attached: ['stdout', '__PTC_ATTACHED__', '__PTC_END_ATTACHED__'],
  'file-answer': ['stdout', '__PTC_FILE_ANSWER__', '__PTC_END_FILE_ANSWER__'],
};

/** The line, without its newline, that carries a body of any form. */
export function frame(kind: RunnerMessage['kind'], body: unknown): Line {
  return frameOfText(kind, JSON.stringify(body));
}

/** The same with a body that is text already. */
function frameOfText(kind: RunnerMessage['kind'], json: string): Line {
  const [stream, open, close] = FRAMES[kind];
  return { stream, bytes: Buffer.from(`${open}${json}${close}`) };
}

/** What parsers and object keys trip over. */
const TOKENS: readonly string[] = [
  ...Object.values(FRAMES).flatMap(([, open, close]) => [open, close]),
  ...['"__proto__":{"polluted":1}', '"constructor":{"prototype":{"polluted":1}}', '__proto__'],
  ...['__PTC_DATA__000003', '__PTC_DATA__'],
  ...['{', '}', '[', ']', '"', ':', ',', '\\', '\\"', '\\u0000', '\\ud800', '\\u000a'],
  ...['NaN', '-0', '1e308', '1e999', '9007199254740993', 'null', 'true', '""', '{}', '[]'],
  ...['\n', '\r\n', '\0', '\u001b[2J', '\ufeff', '\u2028', '%s%n', '../../etc/passwd', '${7*7}'],
];

/** Keys that mean something to JavaScript, and some that do not. */
const key: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.string({ maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'then', 'toJSON'],
      ...['hasOwnProperty', 'length', 'kind', '0', ''],
    ),
  },
);

/** Any JSON, `__proto__` keys among it, as text: an object could not have such a key and be compared. */
export const hostileJson: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'medium' },
      fc.oneof(
        fc.string({ unit: codePoint, maxLength: 12 }).map((text) => JSON.stringify(text)),
        fc.integer().map(String),
        fc.constantFrom('null', 'true', 'false', '1.5', '-0', '1e21', '"\\ud800"', '""'),
      ),
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5 })
      .map(
        (entries) => `{${entries.map(([name, v]) => `${JSON.stringify(name)}:${v}`).join(',')}}`,
      ),
  }),
).object;

const text = fc.string({ unit: codePoint, maxLength: 40 });
const stream = fc.constantFrom<OutputStream>('stdout', 'stderr');
const count = fc.nat();

/** Frames that the protocol allows. */
export const rightLine: fc.Arbitrary<Line> = fc.oneof(
  fc
    .record({ execution_id: text, stream, text, omitted_bytes: count })
    .map((body) => frame('output-delta', body)),
  fc
    .tuple(text, text, text, hostileJson)
    .map(([execution, call, tool, args]) => toolCallLine(execution, call, tool, args)),
  fc
    .record({
      execution_id: text,
      success: fc.boolean(),
      value: fc.option(text),
      error: fc.option(
        fc.record({ type: text, message: text, line: fc.option(count), traceback: text }),
      ),
      exit_code: fc.integer(),
      interpreter_end: fc.option(
        fc.record({ reason: fc.constantFrom('exit', 'signal', 'memory', 'killed'), status: count }),
      ),
      outputs: fc.option(fc.constant('/tmp/outputs-0f1e2d3c')),
    })
    .map((body) => frame('outcome', body)),
  fc.record({ execution_id: text, call_id: text }).map((body) => frame('call-given-up', body)),
  fc
    .record({ execution_id: text, results: count, certain: fc.boolean() })
    .map((body) => frame('waiting', body)),
  fc.record({ execution_id: text }).map((body) => frame('report', body)),
  fc
    .record({ execution_id: text, value: fc.oneof(fc.string(), fc.integer(), fc.constant(null)) })
    .map((body) => frame('value', body)),
  fc.record({ protocol: count, language: text, version: text }).map((body) => frame('ready', body)),
  fc.record({ language: text, version: fc.option(text) }).map((body) => frame('configured', body)),
  fc
    .record({ attach_id: text, executions: count, interrupted: fc.boolean() })
    .map((body) => frame('attached', body)),
  fc
    .tuple(fc.uint8Array({ maxLength: 40 }), text)
    .map(([data, id]) =>
      withData(data, frame('file-answer', { request_id: id, error: null, result: null })),
    ),
);

/** A line with data in front. */
function withData(data: Uint8Array, { stream: from, bytes }: Line): Line {
  const head = Buffer.from(`__PTC_DATA__${String(data.length).padStart(6, '0')}`);
  return { stream: from, bytes: Buffer.concat([head, data, bytes]) };
}

/** A call with these arguments, which are JSON text. */
export function toolCallLine(execution: string, call: string, tool: string, args: string): Line {
  const fields = JSON.stringify({ execution_id: execution, call_id: call, tool_name: tool });
  return frameOfText('tool-call', `${fields.slice(0, -1)},"arguments":${args}}`);
}

interface Mutation {
  readonly place: number;
  readonly length: number;
  readonly insert: Buffer;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  length: fc.nat({ max: 8 }),
  insert: fc.oneof(
    fc.constantFrom(...TOKENS).map((token) => Buffer.from(token)),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(Buffer.alloc(0)),
  ),
});

/** Right frames with some of their bytes replaced, on either stream. */
export const wrongLine: fc.Arbitrary<Line> = fc
  .tuple(rightLine, fc.array(mutation, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([line, mutations, swap]) => ({
    bytes: mutations.reduce(mutate, line.bytes),
    stream: swap ? otherStream(line.stream) : line.stream,
  }));

function mutate(bytes: Buffer, { place, length, insert }: Mutation): Buffer {
  const start = place % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + length)]);
}

function otherStream(name: OutputStream): OutputStream {
  return name === 'stdout' ? 'stderr' : 'stdout';
}

/** Any bytes, parts of frames among them. */
export const anyBytes: fc.Arbitrary<Buffer> = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...TOKENS).map((token) => Buffer.from(token)),
    ),
    { maxLength: 24 },
  )
  .map((parts) => Buffer.concat(parts));

/** Places to cut bytes at; they are taken modulo the number of bytes. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(), { maxLength: 40 });

/** The same bytes in pieces. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
