import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../src/protocol/frames.ts';

const CHUNK =
  '__PTC_OUTPUT_DELTA__{"execution_id":"1","stream":"stdout","text":"hi","omitted_bytes":0}__PTC_END_OUTPUT_DELTA__';

describe('data in front of a frame', () => {
  const answer =
    '__PTC_FILE_ANSWER__{"request_id":"1","error":null,"result":null,"data":"x"}__PTC_END_FILE_ANSWER__';

  it('belongs to an answer about a file, whose field does not count', () => {
    const bytes = Buffer.from([0xff, 0x0a, 0x00]);
    const framedData = Buffer.concat([
      Buffer.from('__PTC_DATA__000003'),
      bytes,
      Buffer.from(answer),
    ]);
    expect(decodeLine(framedData, 'stdout')).toMatchObject({ kind: 'file-answer', data: bytes });
    expect(decodeLine(Buffer.from(answer), 'stdout')).toMatchObject({ data: null });
  });

  it.each([
    ['a chunk', `__PTC_DATA__000001x${CHUNK}`],
    ['nothing', '__PTC_DATA__000001x'],
    ['a part of it', '__PTC_DATA__999999x'],
    ['other data', `__PTC_DATA__000001x__PTC_DATA__000001x${answer}`],
  ])('is refused if it precedes %s', (_, text) => {
    expect(() => decodeLine(Buffer.from(text), 'stdout')).toThrow(
      expect.objectContaining({ code: 'PROTOCOL_VIOLATION' }),
    );
  });
});
