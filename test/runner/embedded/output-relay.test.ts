import { expect, test } from 'vitest';
import { decodeLine, MAX_REPORT_BYTES } from '../../../src/protocol/frames.ts';

const { OutputRelay } = await import(
  String(new URL('../../../runner/embedded/output-relay.mjs', import.meta.url))
);

test('no frame of output is larger than the host takes, however much output is kept', () => {
  const frames: Uint8Array[] = [];
  const relay = new OutputRelay('stdout', (frame: Uint8Array) => frames.push(frame));
  const limit = 16 * 1024 * 1024;
  relay.start('1', limit);
  // Each byte takes six when it is escaped; the character at the end is cut by parts of any even size.
  const printed = `${'\0'.repeat(limit - 4)}a漢`;
  const bytes = Buffer.from(printed);
  for (let start = 0; start < bytes.length; start += 1 << 18) {
    relay.push(bytes.subarray(start, start + (1 << 18)));
  }
  relay.finish();
  expect(Math.max(...frames.map(({ length }) => length))).toBeLessThan(MAX_REPORT_BYTES);
  const texts = frames.map((frame) => {
    const message = decodeLine(Buffer.from(frame.subarray(0, -1)), 'stdout');
    return message.kind === 'output-delta' ? message.text : '';
  });
  expect(texts.join('') === printed).toBe(true);
});
