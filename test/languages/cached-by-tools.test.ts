import { expect, test, vi } from 'vitest';
import { bash } from '../../src/languages/bash/bash.ts';
import { python } from '../../src/languages/python/python.ts';
import { cachedByTools } from '../../src/languages/cached-by-tools.ts';
import { javascript, typescript } from '../../src/languages/typescript/typescript.ts';
import { toTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';

const [a, b, c] = ['a', 'b', 'c'].map((name) =>
  toTool({ name, description: `Does ${name}.`, run: () => name }),
) as [Tool, Tool, Tool];

test('something is made once of the same tools, whatever list they are in', () => {
  const make = vi.fn<(tools: readonly Tool[]) => string[]>((tools) =>
    tools.map(({ name }) => name),
  );
  const names = cachedByTools(make);
  const made = names([a, b]);
  expect(names([a, b])).toBe(made);
  expect(make).toHaveBeenCalledTimes(1);
});

test.each([[[a]], [[a, c]], [[a, b, c]], [[b, a]], [[]]])(
  'other tools are not taken for those before: %#',
  (others: readonly Tool[]) => {
    const names = cachedByTools((tools) => tools.map(({ name }) => name));
    names([a, b]);
    expect(names(others)).toEqual(others.map(({ name }) => name));
    expect(names([a, b])).toEqual(['a', 'b']);
  },
);

test('a list that changes afterwards is another list', () => {
  const names = cachedByTools((tools) => tools.map(({ name }) => name));
  const list = [a, b];
  names(list);
  list[1] = c;
  expect(names(list)).toEqual(['a', 'c']);
});

test.each([python, typescript, javascript, bash])(
  'a session is not told of the same tools again: $name',
  ({ stubs, documentation }) => {
    expect(stubs([a, b])).toBe(stubs([a, b]));
    expect(stubs([])).toBe(stubs([]));
    expect(stubs([a, b])).toHaveLength(2);
    expect(documentation([a, b])).toContain('Does b.');
  },
);
