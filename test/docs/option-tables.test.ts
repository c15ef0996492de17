import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ORCHESTRATOR_NAMES, RUN_NAMES } from '../../src/orchestrator/option-names.ts';
import { ACQUIRE_NAMES, EXECUTOR_NAMES, PROGRAM_NAMES } from '../../src/sessions/option-names.ts';

/** The names in the first column of the first table after a line of a page. */
function namesInTable(page: string, after: string): string[] {
  const text = readFileSync(`docs/${page}`, 'utf8');
  const start = text.indexOf(after);
  expect(start, `${page} has no ${after}`).toBeGreaterThan(-1);
  const lines = text.slice(start).split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const length = [...lines.slice(first), ''].findIndex((line) => !line.startsWith('|'));
  // After the heading and its line.
  const rows = lines.slice(first + 2, first + length);
  return rows.flatMap((row) =>
    Array.from((row.split('|')[1] ?? '').matchAll(/`(\w+)`/g), ([, name = '']) => name),
  );
}

it('the table of an executor has its options, and no others', () => {
  const names = namesInTable('sessions.md', '## Options of an executor');
  expect(names.toSorted()).toEqual(Object.keys(EXECUTOR_NAMES).sort());
});

it.each([
  ['sessions.md', '`acquire', ACQUIRE_NAMES],
  ['sessions.md', '`session.execute(code, options)`', PROGRAM_NAMES],
  ['conversations.md', '## Ask the model', RUN_NAMES],
  ['conversations.md', '## Options of a conversation', ORCHESTRATOR_NAMES],
])('the table of %s after %s has no name that is not an option', (page, after, names) => {
  const named = namesInTable(page, after);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !Object.hasOwn(names, name))).toEqual([]);
});
