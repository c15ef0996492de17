import { expect, test } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import {
  CallRecord,
  NOT_KNOWN,
  stoppedProgramText,
} from '../../../src/orchestrator/call-record.ts';
import { shortenResults, withSummary } from '../../../src/orchestrator/context/compaction-plan.ts';
import { lastLines } from '../../../src/orchestrator/context/open-calls.ts';

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

/** A conversation with a program that was stopped with these calls, and one more question. */
function stoppedProgram(tools: readonly string[], id: string, output = ''): ModelMessage[] {
  const record = new CallRecord();
  for (const [index, toolName] of tools.entries())
    record.started({ callId: `${index}`, toolName }, '{}');
  const text = `${output}${stoppedProgramText('It was stopped.', record)}`;
  const use = { type: 'tool-use', id, name: 'execute_code', input: { code: '1' } } as const;
  return [
    { role: 'assistant', content: [use] },
    { role: 'user', content: [{ type: 'tool-result', toolUseId: id, isError: true, text }] },
  ];
}

const asks: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Pay.' }] };
const answers: ModelMessage = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };

/** The lines about open calls of a conversation that is replaced by a summary. */
function linesAfter(messages: readonly ModelMessage[], summary = 'Paid.'): readonly string[] {
  return openLinesIn(withSummary([...messages, answers], messages.length, summary, 4000));
}

function openLinesIn(messages: readonly ModelMessage[]): readonly string[] {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((block) => ('text' in block ? [block.text] : [])),
  );
  return texts
    .join('\n')
    .split('\n')
    .filter((line) => line.includes(NOT_KNOWN));
}

test('equal calls have one line with their number in a summary', () => {
  const messages = [asks, ...stoppedProgram(['pay', 'pay', 'order', 'pay'], 'a')];
  const listed = [`order({}): ${NOT_KNOWN}`, `pay({}): ${NOT_KNOWN} (3 such calls)`];
  expect(linesAfter(messages)).toEqual(listed);
});

test('a later summary counts the calls of an earlier one once, and adds new ones', () => {
  const first = withSummary(
    [asks, ...stoppedProgram(['pay', 'pay'], 'a'), answers],
    3,
    // The model can write such lines too.
    `pay({}): ${NOT_KNOWN}`,
    4000,
  );
  const again = linesAfter([...first, asks]);
  expect(again).toEqual([`pay({}): ${NOT_KNOWN} (2 such calls)`]);
  const more = linesAfter([...first, asks, ...stoppedProgram(['pay'], 'b')]);
  expect(more).toEqual([`pay({}): ${NOT_KNOWN} (3 such calls)`]);
});

test('a shortened result has each of its open calls once, however often it is shortened', () => {
  const messages = [asks, ...stoppedProgram(['pay', 'order', 'pay'], 'a', 'x'.repeat(5000))];
  const listed = [`order({}): ${NOT_KNOWN}`, `pay({}): ${NOT_KNOWN} (2 such calls)`];
  const once = shortenResults(messages, messages.length, 200);
  expect(openLinesIn(once)).toEqual(listed);
  expect(shortenResults(once, once.length, 200)).toEqual(once);
  expect(linesAfter(once)).toEqual(listed);
});

test('equal calls for which there is no room are all counted', () => {
  const three = [0, 0, 0].map(() => lines[0] ?? '');
  const [others] = lastLines([...three, ...lines.slice(1)], roomFor(8));
  expect(others).toBe(`and 3 more calls: of each, ${NOT_KNOWN}`);
});

test('numbers of calls that are not listed are added for each tool', () => {
  const more = (tool: string, count: number): string =>
    `${tool}, ${count} more calls: of each, ${NOT_KNOWN}`;
  expect(
    lastLines([more('pay', 5), more('order', 2), more('pay', 5), more('pay', 1)], 1000),
  ).toEqual([more('order', 2), more('pay', 11)]);
});

test('a long line keeps its number of calls', () => {
  const call = `pay(${'x'.repeat(600)}): ${NOT_KNOWN}`;
  const result = {
    type: 'tool-result',
    toolUseId: 'a',
    isError: true,
    text: `${call}\n${call}`,
  } as const;
  const [, use] = stoppedProgram([], 'a').toReversed();
  const messages = [asks, ...(use ? [use] : []), { role: 'user', content: [result] } as const];
  const [line = '', ...rest] = linesAfter(messages);
  expect(rest).toEqual([]);
  expect(line).toMatch(/^pay\(x+…: .* \(2 such calls\)$/);
  const again = withSummary([...messages, answers], messages.length, '', 4000);
  expect(linesAfter([...again, asks])).toEqual([line]);
});
