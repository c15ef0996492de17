import { expect, test } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { SourceOfTest } from '../support/source-of-test.ts';

function definition(name: string): ToolDefinition {
  return { name, description: 'Does it.', run: () => name };
}

function names(registry: ToolRegistry): string[] {
  return registry.list().map(({ name }) => name);
}

test('the tools of a source are in its name space, after the registered ones', () => {
  const registry = new ToolRegistry([definition('plain')]);
  registry.addSource(new SourceOfTest('github', [definition('list'), definition('get')]));
  registry.register(definition('later'));
  expect(names(registry)).toEqual(['plain', 'later', 'github:list', 'github:get']);
  expect(registry.get('github:list')?.identifier).toBe('github_list');
});
