// Bytes of a sandbox: lines, frames, JSON, an engine's attach stream.

import { Writable } from 'node:stream';
import { decodeLine } from '../../../../dist/protocol/frames.js';
import { LineSplitter } from '../../../../dist/protocol/line-splitter.js';
import { StreamTransport } from '../../../../dist/protocol/stream-transport.js';
import { StreamDemultiplexer } from '../../../../dist/providers/docker/container/attach.js';
import { PtcError } from '../../../../dist/shared/errors.js';
import { text } from '../shapes.mjs';
import { anyTexts } from '../texts.mjs';

const CALL = '{"execution_id":"1","call_id":"a","tool_name":"echo","arguments":';

/** Whether the host accepts such arguments in a frame. */
export function canArrive(args) {
  const line = Buffer.from(`__PTC_TOOL_CALL__${CALL}${JSON.stringify(args)}}__PTC_END_CALL__`);
  try {
    return decodeLine(line, 'stderr').refusal === undefined;
  } catch {
    return false;
  }
}

/** Valid and invalid JSON as text. */
const JSON_TEXTS = [
  ...['1,', '"a",', '[],', '{},', 'null,', '-1.5e3,', '[1,2],', '{"a":1},'].map((pump) =>
    text(pump, '[', '1]'),
  ),
  ...['"k#":1,', '"#":1,', '"#000000":1,', '"k#":{"a":[]},', '"-#":"x",'].map((pump) => ({
    ...text(pump, '{', '"z":1}'),
    counted: true,
  })),
  ...['"a":1,', '"__proto__":1,', '"constructor":{},', '"a":{"__proto__":{}},'].map((pump) =>
    text(pump, '{', '"z":1}'),
  ),
  ...['a', '\\\\', '\\"', '\\u0000', '\\ud800', 'é', '\\/', '\u2028', '😀'].map((pump) =>
    text(pump, '"', '"'),
  ),
  ...['a', '\\', '\\"', '\\\\'].map((pump) => text(pump, '"')),
  ...['1', '0', '9', '.', 'e', '-', '1e', '1.'].map((pump) => text(pump)),
  ...['0', '9'].flatMap((pump) => ['1.', '1e', '1e-', '-', '0.'].map((one) => text(pump, one))),
  // Zeros at the ends of a number, and between its digits.
  ...[['1'], ['1', '1'], ['1', '.5'], ['1', 'e5'], ['0.', '1'], ['9', '.0'], ['-9.9', '1']].map(
    ([before, after]) => text('0', before, after),
  ),
  ...['[', '{"a":', '[[', ']', '}', ' ', '\t', ',', ':', '[{"a":', '[1,[2,'].map((one) =>
    text(one),
  ),
  ...['[[[[]]]],', '[[],', '{"a":[{"b":[', '{"a":{}},'].map((pump) => text(pump, '[', '1]')),
];

const CHUNK = '{"execution_id":"1","stream":"stdout","omitted_bytes":0,"text":';
const OUTCOME =
  '{"execution_id":"1","success":true,"exit_code":0,"interpreter_end":null,"outputs":null,';

const counted = (line) => ({ ...text(`${line}\n`), counted: true });
const call = (fields) => `__PTC_TOOL_CALL__{"execution_id":"1",${fields}}__PTC_END_CALL__`;
const around = (before, after) => (body) => ({ join: [{ value: before }, body, { value: after }] });

/** Lines that a runner writes to standard error, and similar ones. */
export const STDERR_SHAPES = [
  ...JSON_TEXTS.flatMap((body) =>
    [
      around(`__PTC_TOOL_CALL__${CALL}`, '}__PTC_END_CALL__\n'),
      around(`__PTC_TOOL_CALL__${CALL}{"value":`, '}}__PTC_END_CALL__\n'),
      around('__PTC_TOOL_CALL__', '__PTC_END_CALL__\n'),
      around('__PTC_CALL_GIVEN_UP__{"execution_id":"1","call_id":', '}__PTC_END_CALL_GIVEN_UP__\n'),
      around(
        '__PTC_WAITING__{"execution_id":"1","certain":true,"results":',
        '}__PTC_END_WAITING__\n',
      ),
    ].map((put) => put(body)),
  ),
  ...[
    call('"call_id":"c#","tool_name":"echo","arguments":{}'),
    call('"call_id":"c#","tool_name":"echo","arguments":{"value":[1,2,{"a":"#"}]}'),
    call('"call_id":"c#","tool_name":"strict","arguments":{"value":1,"other":2}'),
    call('"call_id":"c#","tool_name":"denied","arguments":{}'),
    call('"call_id":"c#","tool_name":"asked","arguments":{}'),
    call('"call_id":"c#","tool_name":"unknown #","arguments":{}'),
    call('"call_id":"c#","tool_name":"echo","arguments":{"__proto__":1}'),
    call('"call_id":"c","tool_name":"echo","arguments":{}'),
    '__PTC_CALL_GIVEN_UP__{"execution_id":"1","call_id":"c#"}__PTC_END_CALL_GIVEN_UP__',
    '__PTC_CALL_GIVEN_UP__{"execution_id":"0","call_id":"c#"}__PTC_END_CALL_GIVEN_UP__',
  ].map(counted),
];

/** Lines that a runner writes to standard output, and similar ones. */
export const STDOUT_SHAPES = [
  ...JSON_TEXTS.flatMap((body) =>
    [
      around(`__PTC_OUTPUT_DELTA__${CHUNK}`, '}__PTC_END_OUTPUT_DELTA__\n'),
      around(`__PTC_OUTPUT__${OUTCOME}"error":null,"value":`, '}__PTC_END_OUTPUT__\n'),
      around(
        `__PTC_OUTPUT__${OUTCOME}"value":null,"error":{"type":"E","message":"m","line":1,"traceback":`,
        '}}__PTC_END_OUTPUT__\n',
      ),
    ].map((put) => put(body)),
  ),
  ...[
    `__PTC_OUTPUT_DELTA__${CHUNK}"#"}__PTC_END_OUTPUT_DELTA__`,
    `__PTC_OUTPUT_DELTA__${CHUNK}"\\u001b[0m\\n"}__PTC_END_OUTPUT_DELTA__`,
    `__PTC_OUTPUT_DELTA__${CHUNK.replace(':0,', ':#,')}"a"}__PTC_END_OUTPUT_DELTA__`,
    '__PTC_READY__{"protocol":1,"language":"python","version":"3"}__PTC_END_READY__',
    '__PTC_ATTACHED__{"attach_id":"#","executions":1,"interrupted":false}__PTC_END_ATTACHED__',
    'noise #',
    '__PTC_DATA__000003\n\n\n__PTC_FILE_ANSWER__{"request_id":"#","error":null,"result":null}__PTC_END_FILE_ANSWER__',
    '__PTC_DATA__000000',
  ].map(counted),
  text('__PTC_OUTPUT_DELTA__'),
  text('__PTC_OUTPUT__{}__PTC_END_OUTPUT__'),
];

/** The parts that mutations insert into frames. */
export const FRAME_PIECES = [
  ...[
    '__PTC_TOOL_CALL__',
    '__PTC_END_CALL__',
    '__PTC_OUTPUT_DELTA__',
    '__PTC_END_OUTPUT_DELTA__',
    '__PTC_DATA__000100',
    '{"',
    '":',
  ],
  ...['"a":1,', '"execution_id":"1",', '[[', ']]', '\\u0000', '\\"', '\\\\', '1e400', ',1'],
];

const HARMLESS = counted(call('"call_id":"c#","tool_name":"echo","arguments":{"value":"plain"}'));

function target(name, of, run, { shapes, harmless = HARMLESS }) {
  const made = { shapes, harmless, run, isText: true, pieces: FRAME_PIECES };
  return { name, of, make: () => made };
}

const ALL = [...STDERR_SHAPES, ...STDOUT_SHAPES, ...anyTexts()];
const FRAMES = { shapes: ALL };
const LINE = {
  shapes: ALL,
  harmless: text('a', `__PTC_TOOL_CALL__${CALL}{"value":"`, '"}}__PTC_END_CALL__'),
};
const BODY = { shapes: [...JSON_TEXTS, ...anyTexts()], harmless: text('a', '{"value":"', '"}') };

export const FRAME_TARGETS = [
  target(
    'frames: one line',
    'protocol/frames, protocol/frame-shape, protocol/guards',
    decode,
    LINE,
  ),
  target(
    'frames: arguments',
    'shared/bare-json',
    (input) => decode(`__PTC_TOOL_CALL__${CALL}${input}}__PTC_END_CALL__`),
    BODY,
  ),
  target('frames: cut into lines', 'protocol/frames', (input) => split(input, 7), FRAMES),
  ...[16, 65_536].map((step) =>
    target(
      `frames: stream in parts of ${step}`,
      'protocol/stream-transport',
      (input) => receive(input, step, false),
      FRAMES,
    ),
  ),
  target(
    'frames: attach stream in parts of 16',
    'providers/docker/attach',
    (input) => receive(input, 16, true),
    FRAMES,
  ),
];

function decode(input) {
  const line = Buffer.from(input.trimEnd());
  for (const stream of ['stdout', 'stderr']) expectTyped(() => decodeLine(line, stream));
}

function split(input, step) {
  const splitter = new LineSplitter(64_000_000);
  for (const piece of pieces(Buffer.from(input), step)) Array.from(splitter.push(piece));
}

/** Reads it as both kinds of stream, in parts. */
function receive(input, step, isAttachStream) {
  const bytes = Buffer.from(input);
  for (const [type, stream] of [
    [1, 'stdout'],
    [2, 'stderr'],
  ]) {
    const transport = new StreamTransport({ stdin: new Writable(), destroy() {} });
    transport.listen({ message() {}, closed() {} });
    const demultiplexer = new StreamDemultiplexer((name, part) => transport.receive(name, part));
    for (const piece of pieces(bytes, step)) {
      if (!isAttachStream) transport.receive(stream, piece);
      else {
        demultiplexer.push(Buffer.from([type, 0, 0, 0, 0, 0, 0, piece.length]));
        demultiplexer.push(piece);
      }
    }
    transport.end(undefined);
  }
}

function* pieces(bytes, step) {
  for (let place = 0; place < bytes.length; place += step)
    yield bytes.subarray(place, place + step);
}

function expectTyped(work) {
  try {
    work();
  } catch (error) {
    if (!PtcError.isInstance(error)) throw error;
  }
}
