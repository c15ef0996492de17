import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../../../src/protocol/frames.ts';
import { readGoldenFrames } from '../../../support/golden-frames.ts';

type Marker = readonly [open: string, close: string];

interface Frames {
  readonly TOOL_CALL: Marker;
  readonly OUTCOME: Marker;
  encode(this: void, marker: Marker, body: object): string;
  decode(this: void, line: string): { readonly marker: Marker; readonly body: object } | undefined;
}

const frames: Frames = await import(
  String(new URL('../../../../runner/javascript/guest/messages/frames.mjs', import.meta.url))
);
const golden = await readGoldenFrames();

/** What a guest takes; the rest is for its supervisor. */
const taken = new Set(['configure', 'execute', 'tool-result', 'cancel']);
const sent = { 'tool-call': frames.TOOL_CALL, outcome: frames.OUTCOME } as const;

describe('frames of the JavaScript guest', () => {
  it.each(golden.filter(({ message }) => taken.has(message.kind)))(
    'reads the shared frame: $name',
    ({ bytes, message }) => {
      const { kind: _kind, ...body } = message;
      const read = frames.decode(bytes.slice(0, -1))?.body;
      if (message.kind !== 'tool-result') expect(read).toEqual(body);
      else expect(read).toEqual({ ...body, result: JSON.parse(message.result.text) });
    },
  );

  it.each(
    golden.filter(
      ({ direction, message }) => direction === 'runner-to-host' && message.kind in sent,
    ),
  )('writes what the host reads as the shared frame: $name', ({ message }) => {
    const { kind, ...body } = message;
    const marker = sent[kind as keyof typeof sent];
    const line = frames.encode(marker, body);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    const stream = kind === 'tool-call' ? 'stderr' : 'stdout';
    const read = decodeLine(Buffer.from(line.slice(0, -1)), stream);
    expect(JSON.parse(JSON.stringify(read))).toEqual(message);
  });

  it('has frames to read and to write', () => {
    const kinds = golden.map(({ message }) => message.kind);
    expect(kinds).toEqual(expect.arrayContaining([...taken, ...Object.keys(sent)]));
  });

  it.each([
    '',
    'hello',
    '__PTC_EXECUTE__{}',
    '__PTC_EXECUTE__{__PTC_END_EXECUTE__',
    '__PTC_OUTPUT__{}__PTC_END_OUTPUT__',
    '__PTC_EXECUTE__{}__PTC_END_CANCEL__',
  ])('takes %j for no frame', (line) => {
    expect(frames.decode(line)).toBeUndefined();
  });

  it('writes any text as ASCII in one line', () => {
    for (const text of ['', '\n\r\u2028\0', '\ud800', '🙂é', '__PTC_END_OUTPUT__\n']) {
      const line = frames.encode(frames.OUTCOME, { text });
      expect(line).toMatch(/^[ -~]+\n$/);
      expect(
        JSON.parse(line.slice('__PTC_OUTPUT__'.length, -'__PTC_END_OUTPUT__\n'.length)),
      ).toEqual({ text });
    }
  });
});
