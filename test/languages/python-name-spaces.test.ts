import { expect, test } from 'vitest';
import { describeNameSpaces } from '../../src/languages/catalog/name-spaces.ts';
import { toolsByName } from '../../src/languages/catalog/tool-names.ts';
import { python } from '../../src/languages/python/python.ts';
import { toTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { parse } from './parse-python.ts';

function tool(definition: Partial<ToolDefinition>): Tool {
  return toTool({ name: 'tool', description: 'Does it.', run: () => 1, ...definition });
}

test('tools of a name space are documented in a class, by the names that models know', () => {
  const create = tool({
    name: 'github:create_issue',
    description: 'Creates an issue.\nOpen.',
    inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    inputExamples: [{ title: 'Late' }],
  });
  const others = [tool({ name: 'plain' }), tool({ name: 'github:list-all' })];
  expect(python.documentation([create, ...others])).toBe(`\
async def plain() -> Any:
    """Does it."""

class github:  # await github.…(…)
    async def create_issue(title: str) -> Any:
        """Creates an issue.
        Open.

        Example: await github.create_issue(title="Late")
        """

    async def list_all() -> Any:
        """Does it.
        (This is the tool "github:list-all".)
        """`);
  const documented = python.documented?.stubs([create])[0]?.documentation;
  expect(documented?.split('\n')[0]).toBe('github.create_issue(title: str) -> Any');
});

test.each([
  ['a tool has the name of the name space', ['shop', 'shop:buy'], ['shop', 'shop_buy']],
  ['an attribute is taken', ['shop:import', 'shop:import_'], ['shop.import_', 'shop_import_']],
  ['classes would look for another attribute', ['shop:__buy'], ['shop___buy']],
])('a tool is documented by its whole name if %s', (_, names, shown) => {
  const tools = names.map((name) => tool({ name }));
  const documented = parse(python.documentation(tools)).map(({ name }) => name);
  expect(documented.sort()).toEqual(shown.sort());
});

test('a tool whose name has a meaning in Python has it with an underscore, wherever it is shown', async () => {
  const tools = ['__class__', '__proto__'].map((name) => tool({ name: `shop:${name}` }));
  const shown = ['shop.__class___', 'shop.__proto___'];
  expect(parse(python.documentation(tools)).map(({ name }) => name)).toEqual(shown);
  expect(python.stubs(tools).map(({ path }) => path)).toEqual(shown);
  expect(describeNameSpaces(tools)).toBe('- shop (2 tools): __class___, __proto___');
  expect((await toolsByName(tools)).get('shop.__class___')).toBe(tools[0]);
});
