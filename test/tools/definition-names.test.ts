import { expect, test } from 'vitest';
import { toTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';

const common = { name: 'get_expenses', description: 'Lists expenses.', run: () => [] };

test.each([
  [
    { callers: ['direct'] },
    'has no option callers. Did you mean allowedCallers? See docs/tools.md.',
  ],
  [{ caller: 'direct' }, 'has no option caller. Did you mean allowedCallers? See docs/tools.md.'],
  [{ needsApproval: true }, 'has no option needsApproval. See docs/tools.md.'],
  [{ confirm: true }, 'has no option confirm. See docs/tools.md.'],
  [
    { readOnlyHint: true },
    'has no option readOnlyHint. Did you mean annotations? See docs/tools.md.',
  ],
])('a name that no definition has is refused: %j', (change, message) => {
  expect(() => toTool({ ...common, ...change })).toThrow(
    expect.objectContaining({ code: 'TOOL_INVALID', message: `Tool "get_expenses" ${message}` }),
  );
  // A class has members of its own, which must not look like options.
  class Own {
    readonly confirm = true;
  }
  const own = Object.assign(new Own(), common, change);
  if (!message.includes('Did you mean')) expect(toTool(own).name).toBe('get_expenses');
  else expect(() => toTool(own)).toThrow(message);
});

test('a tool of a source is refused alike', () => {
  const tool = { ...common, callers: ['direct'] };
  expect(() => new ToolRegistry().addSource({ name: 'shop', tools: () => [tool] })).toThrow(
    'Tool "shop:get_expenses" has no option callers. Did you mean allowedCallers? See docs/tools.md.',
  );
});
