import { FILE_PIECE_BYTES } from '../../../src/protocol/frames.ts';
import type { OutputStream } from '../../../src/protocol/messages.ts';
import { chance, oneOf, type Random } from './random.ts';

/** Bytes on one of a runner's outputs. */
export interface Said {
  readonly stream: OutputStream;
  readonly text: string;
}

/** Facts that only the host knows; a frame that claims them changes nothing. */
const CLAIMS = {
  sessionId: 'claimed',
  session_id: 'claimed',
  status: 'ok',
  sessionOpen: true,
  toolCalls: 999_999,
  durationMs: -1,
  caller: 'direct',
  refusal: null,
};

export function readyFrame(protocol = 1): Said {
  return line('stdout', 'READY', 'READY', { protocol, language: 'python', version: '3.13.5' });
}

export function attachedFrame(): Said {
  return line('stdout', 'ATTACHED', 'ATTACHED', {
    attach_id: 'renewal',
    executions: 0,
    interrupted: false,
  });
}

export function callFrame(execution: string, call: string, tool: string, args: unknown): Said {
  const fields = { execution_id: execution, call_id: call, tool_name: tool };
  return line('stderr', 'TOOL_CALL', 'CALL', { ...CLAIMS, ...fields, arguments: args });
}

export function chunkFrame(execution: string, text: string, omitted = 0): Said {
  const fields = { execution_id: execution, stream: 'stdout', text, omitted_bytes: omitted };
  return line('stdout', 'OUTPUT_DELTA', 'OUTPUT_DELTA', { ...CLAIMS, ...fields });
}

function reportFrame(execution: string): Said {
  return line('stdout', 'REPORT', 'REPORT', { ...CLAIMS, execution_id: execution });
}

function waitingFrame(execution: string): Said {
  const body = { ...CLAIMS, execution_id: execution, results: 0, certain: true };
  return line('stderr', 'WAITING', 'WAITING', body);
}

export function valueFrame(execution: string, value: unknown): Said {
  return line('stdout', 'VALUE', 'VALUE', { ...CLAIMS, execution_id: execution, value });
}

/** The same with a value that is JSON text, right or wrong. */
function valueTextFrame(execution: string, json: string): Said {
  const { stream, text } = valueFrame(execution, 'PLACE');
  return { stream, text: text.replace('"PLACE"', () => json) };
}

export function outcomeFrame(execution: string, changes: Record<string, unknown> = {}): Said {
  return line('stdout', 'OUTPUT', 'OUTPUT', {
    ...CLAIMS,
    execution_id: execution,
    success: true,
    value: null,
    error: null,
    exit_code: 0,
    interpreter_end: null,
    outputs: null,
    ...changes,
  });
}

/** An answer to a request about a file. A text as `data` precedes the frame. */
function fileAnswerFrame(
  id: string,
  { data, ...changes }: Record<string, unknown> & { readonly data?: string } = {},
): Said {
  const fields = { request_id: id, error: null, result: null, ...changes };
  const { stream, text } = line('stdout', 'FILE_ANSWER', 'FILE_ANSWER', { ...CLAIMS, ...fields });
  return { stream, text: data === undefined ? text : withData(data, text) };
}

function withData(data: string, text: string): string {
  return `__PTC_DATA__${String(Buffer.byteLength(data)).padStart(6, '0')}${data}${text}`;
}

/** An answer that may fit the request that the hostile session makes, which reads a file. */
export function anyFileAnswer(random: Random, id: string): Said {
  const result = { size: random.integer(0, 2_000_000), is_last: chance(random, 300) };
  // Most are small, because the host should have time for the other sandboxes.
  const size = chance(random, 200) ? FILE_PIECE_BYTES : random.integer(0, 100);
  const data = '\n'.repeat(size);
  return fileAnswerFrame(
    id,
    oneOf<Record<string, unknown> & { readonly data?: string }>(random, [
      { result, data },
      { result: { ...result, is_last: true }, data },
      { result: { ...result, is_last: false }, data },
      { result: { ...result, is_last: true } },
      { result, data: outcomeFrame('1').text },
      { result, data: ' '.repeat(FILE_PIECE_BYTES + 3) },
      { result: { ...result, size: -1 }, data },
      { result: [], data },
      { error: { errno: 'ENOENT', message: 'claimed\u001b[2J'.repeat(1000) } },
      { error: { errno: 'constructor', message: '' } },
      { error: 'ENOENT' },
    ]),
  );
}

function line(stream: OutputStream, open: string, close: string, body: object): Said {
  return { stream, text: `__PTC_${open}__${JSON.stringify(body)}__PTC_END_${close}__\n` };
}

/** An outcome in one of the ways in which a run can end. */
export function anyOutcome(random: Random, execution: string): Said {
  const error = { type: 'ValueError', message: 'claimed', line: 1, traceback: 'claimed' };
  return outcomeFrame(
    execution,
    oneOf<Record<string, unknown>>(random, [
      {},
      {},
      { value: 'the value' },
      { success: false, error, exit_code: random.integer(-3, 300) },
      { success: false },
      { interpreter_end: { reason: 'memory', status: 9 }, success: false },
      { interpreter_end: { reason: 'exit', status: 0 } },
      { outputs: '/tmp/outputs-0f1e2d3c' },
      { value: 'v'.repeat(random.integer(1, 5000)) },
    ]),
  );
}

/** Breaks some bytes of a line, or swaps its stream. */
export function mutated(random: Random, { stream, text }: Said): Said {
  const place = random.integer(0, text.length - 1);
  const insert = oneOf(random, [
    '',
    '"',
    '{',
    '\n',
    '\0',
    '\ufffd',
    '__PTC_OUTPUT_DELTA__',
    '1e999',
    '\\',
  ]);
  return {
    stream: chance(random, 100) ? otherStream(stream) : stream,
    text: text.slice(0, place) + insert + text.slice(place + random.integer(0, 5)),
  };
}

function otherStream(stream: OutputStream): OutputStream {
  return stream === 'stdout' ? 'stderr' : 'stdout';
}

/** Lines that are never right once a runner is ready, whatever came before and whatever runs. */
export function violation(random: Random, execution: string): Said {
  const chunk = chunkFrame(execution, 'x');
  return oneOf<Said>(random, [
    { stream: 'stdout', text: 'no frame\n' },
    { stream: 'stderr', text: 'Traceback (most recent call last):\n' },
    { ...chunk, stream: otherStream(chunk.stream) },
    { ...chunk, text: chunk.text.replace('__PTC_END_OUTPUT_DELTA__', '') },
    { ...chunk, text: chunk.text.replace('"text":"x"', '"text":5') },
    { ...chunk, text: chunk.text.replace('"omitted_bytes":0', '"omitted_bytes":-1') },
    { ...chunk, text: chunk.text.replace('{', '{"a":'.repeat(100)) },
    readyFrame(),
    attachedFrame(),
    outcomeFrame(execution, { exit_code: 1e308 }),
    outcomeFrame(execution, { error: [] }),
    outcomeFrame(execution, { interpreter_end: { reason: 'magic', status: 0 } }),
    outcomeFrame(execution, { outputs: '../\u001b[2J' }),
    { ...valueFrame(execution, 1), stream: 'stderr' },
    // Nobody asks for them.
    reportFrame(execution),
    { ...reportFrame(execution), stream: 'stderr' },
    waitingFrame(execution),
    { ...waitingFrame(execution), stream: 'stdout' },
    valueFrame(execution, undefined),
    valueFrame('999999', 'of a run that never was'),
    fileAnswerFrame('of no request'),
    { ...chunk, text: withData('x\n', chunk.text) },
    { stream: 'stdout', text: withData('\n', '\n') },
    ...[
      '{"a":',
      '1e400',
      '1152921504606846977',
      '"\\ud800"',
      '{"\\udc00":1}',
      '{"__proto__":1}',
    ].map((json) => valueTextFrame(execution, json)),
    valueTextFrame(execution, '['.repeat(100) + ']'.repeat(100)),
    valueTextFrame(execution, `[${'0,'.repeat(25_000)}0]`),
    callFrame(execution, 'c', 'echo', []),
    callFrame(execution, 'c', 'echo', null),
    chunkFrame(oneOf(random, ['999999', '-1', '', '__proto__', '1e3']), 'of a run that never was'),
    chunkFrame(execution, 'o'.repeat(5000)),
  ]);
}
