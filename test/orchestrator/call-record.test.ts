import { describe, expect, it } from 'vitest';
import { CallRecord, failedProgramText, NOT_KNOWN } from '../../src/orchestrator/call-record.ts';

const MAX_LENGTH = 40_000;

/** Begins calls whose ids are numbers, and gives what the record says of them. */
function begin(record: CallRecord, count: number, toolName: string, first = 0): void {
  for (let id = first; id < first + count; id += 1) {
    record.started({ callId: String(id), toolName }, JSON.stringify({ id }));
  }
}

describe('the record of a program’s calls', () => {
  it('names a call in progress, no matter how many others were made before and after it', () => {
    const record = new CallRecord();
    record.started({ callId: 'piano', toolName: 'order' }, '{"item":"piano"}');
    for (let id = 0; id < 1000; id += 1) {
      begin(record, 1, 'order', id);
      const failed = id % 100 === 0;
      const error = { type: 'Failed', message: 'sold out' };
      record.ended({ callId: String(id), ...(failed ? { error } : { result: '"ordered"' }) });
    }
    const lines = record.text.split('\n');
    expect(lines.at(-1)).toBe(`order({"item":"piano"}): ${NOT_KNOWN}`);
    expect(lines.at(-2)).toBe('order({"id":999}): done, "ordered"');
    const [, done, failed] =
      /^order, earlier calls: (\d+) done, (\d+) failed$/.exec(lines[0] ?? '') ?? [];
    expect(Number(done) + Number(failed) + lines.length - 2).toBe(1000);
    expect(Number(done)).toBeGreaterThan(500);
    expect(Number(failed)).toBeGreaterThan(5);
    expect(record.openText).toBe(lines.at(-1));
  });

  it('names the newest of many calls with an unknown outcome, and counts the others [waiting/call-record]', () => {
    const record = new CallRecord();
    begin(record, 1000, 'order');
    const lines = record.openText.split('\n');
    expect(lines[0]).toBe(`order, 900 more calls: of each, ${NOT_KNOWN}`);
    expect(lines.slice(1)).toEqual(
      Array.from({ length: 100 }, (_, at) => `order({"id":${900 + at}}): ${NOT_KNOWN}`),
    );
    // One of those that are only counted comes to its end.
    record.ended({ callId: '0', result: '1' });
    expect(record.text).toContain('order(…): done, 1\norder, 899 more calls');
    for (let id = 1; id < 1000; id += 1) record.ended({ callId: String(id), result: '1' });
    expect(record.openText).toBe('');
  });

  it('is never too long for one result, no matter what a program calls and tools return [waiting/call-record]', () => {
    const record = new CallRecord();
    const long = JSON.stringify('long '.repeat(100_000));
    for (let id = 0; id < 2000; id += 1) {
      const toolName = `${id % 100}_${'t'.repeat(200)}`;
      record.started({ callId: String(id), toolName }, long);
      if (id % 2 === 0) record.ended({ callId: String(id), result: long });
    }
    expect(record.text.length).toBeLessThanOrEqual(MAX_LENGTH);
    expect(record.text).toContain('other tools, earlier calls: ');
    expect(record.openText.split('\n').filter((line) => line.includes('"long'))).toHaveLength(100);
  });

  it('has a line for each call, whatever its tool says', () => {
    const record = new CallRecord();
    begin(record, 2, 'order');
    record.ended({ callId: '0', error: { type: 'Failed', message: 'one\ntwo' } });
    expect(record.text).toBe(
      `order({"id":0}): failed, Failed: one two\norder({"id":1}): ${NOT_KNOWN}`,
    );
  });

  it('does not say that a tool failed if it did not answer in time', () => {
    const record = new CallRecord();
    begin(record, 1, 'order');
    record.ended({ callId: '0', error: { type: 'Timeout', message: 'no answer within 5 ms' } });
    expect(record.text).toBe(`order({"id":0}): ${NOT_KNOWN}`);
  });
});

it('of a call that goes on with a program says that what the program did before is not known', () => {
  const record = new CallRecord();
  const told = (): string => failedProgramText({ program: 'abc' }, undefined, record);
  expect(told()).toBe(
    '[The host could not run this program. It is not known which tool calls the program had made since its last answer.]',
  );
  record.started({ callId: 'c', toolName: 'pay' }, '{}');
  expect(told()).toBe(
    `[The host could not run this program. It is not known which tool calls the program had made between its last answer and this call. Those that it had made since:]\npay({}): ${NOT_KNOWN}`,
  );
});
