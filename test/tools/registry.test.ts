import { expect, test } from 'vitest';
import { defineTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';

function definition(name: string, callers?: readonly ('code' | 'direct')[]): ToolDefinition {
  const common = { name, description: 'Does it.', run: () => name };
  return callers ? { ...common, allowedCallers: callers } : common;
}

test('a registered tool is found by its name, whether it came as a tool or as a definition', () => {
  const registry = new ToolRegistry([definition('a')]);
  const b = defineTool({ name: 'b', description: 'Does it.', run: () => 1 });
  expect(registry.register(b)).toBe(b);
  expect(registry.get('a')?.name).toBe('a');
  expect(registry.get('b')).toBe(b);
  expect(registry.list().map((tool) => tool.name)).toEqual(['a', 'b']);
});

test('names that JavaScript objects have of themselves are unknown tools [case 69]', () => {
  const registry = new ToolRegistry([definition('a')]);
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'size']) {
    expect(registry.get(name)).toBeUndefined();
    expect(registry.snapshot().get(name)).toBeUndefined();
  }
});

test('each caller sees only the tools that allow it', () => {
  const registry = new ToolRegistry([
    definition('plain'),
    definition('direct_only', ['direct']),
    definition('both', ['direct', 'code']),
  ]);
  const names = (caller: 'code' | 'direct'): string[] =>
    registry.forCaller(caller).map((tool) => tool.name);
  expect(names('code')).toEqual(['plain', 'both']);
  expect(names('direct')).toEqual(['direct_only', 'both']);
});

test('two tools of one name are refused', () => {
  const registry = new ToolRegistry([definition('a')]);
  expect(() => registry.register(definition('a'))).toThrow(
    expect.objectContaining({ code: 'TOOL_NAME_CLASH' }),
  );
  expect(registry.list()).toHaveLength(1);
});

test('two tools that would be one function are refused, and both are named', () => {
  const registry = new ToolRegistry([definition('expense:list')]);
  expect(() => registry.register(definition('expense.list'))).toThrow(
    /"expense\.list" and "expense:list".*expense_list/,
  );
  expect(() => registry.register(definition('expense_list'))).toThrow(
    expect.objectContaining({
      code: 'TOOL_NAME_CLASH',
      details: { names: ['expense_list', 'expense:list'] },
    }),
  );
});

test('a snapshot and a list stay as they were when tools are added [case 103]', () => {
  const registry = new ToolRegistry([definition('a')]);
  const snapshot = registry.snapshot();
  const list = registry.list();
  registry.register(definition('b'));
  expect(snapshot.list().map((tool) => tool.name)).toEqual(['a']);
  expect(snapshot.get('b')).toBeUndefined();
  expect(snapshot.forCaller('code')).toHaveLength(1);
  expect(list).toHaveLength(1);
  expect(Object.isFrozen(list)).toBe(true);
  expect(registry.snapshot().get('b')?.name).toBe('b');
});
