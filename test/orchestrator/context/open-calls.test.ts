import { expect, test } from 'vitest';
import { lastLines } from '../../../src/orchestrator/context/open-calls.ts';
import { NOT_KNOWN } from '../../../src/orchestrator/call-record.ts';

const lines = Array.from({ length: 9 }, (_, index) => `order(${index}): ${NOT_KNOWN}`);
const roomFor = (count: number): number => count * ((lines[0]?.length ?? 0) + 1);

test('calls for which there is no room are counted, however often the lines are shortened', () => {
  const once = lastLines(lines, roomFor(4));
  expect(once).toEqual([`and 5 more calls: of each, ${NOT_KNOWN}`, ...lines.slice(5)]);
  const twice = lastLines(once, roomFor(2));
  expect(twice).toEqual([`and 7 more calls: of each, ${NOT_KNOWN}`, ...lines.slice(7)]);
});

test('a single call for which there is no room is told as one', () => {
  expect(lastLines(lines, roomFor(8))[0]).toBe(`and 1 more call: of each, ${NOT_KNOWN}`);
  expect(lastLines(lines, roomFor(9))).toEqual(lines);
});
