import { expect, test } from 'vitest';
import { toTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { SourceOfTest } from '../support/source-of-test.ts';

function definition(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: 'Does it.', run: () => name, ...more };
}

test('texts of a source are cut to a limit, and their invisible characters become visible', () => {
  const registry = new ToolRegistry();
  const description = `A\u001b[2J\u202eB\ud800 ${'x'.repeat(20_000)}`;
  registry.addSource(
    new SourceOfTest('github', [definition('a', { description, outputDescription: '\u0007' })]),
  );
  const tool = registry.get('github:a');
  expect(tool?.description).toMatch(/^A\\x1b\[2J\\u202eB\uFFFD x+…$/);
  expect(tool?.description.length).toBeLessThan(10_100);
  expect(tool?.outputDescription).toBe('\\x07');
});

test('descriptions in the schemas of a source are cut too, and nothing is hidden in them', () => {
  const registry = new ToolRegistry();
  const a = { type: 'string', description: `A\u{e0041}\u202eB ${'x'.repeat(20_000)}` };
  const schema = { type: 'object', properties: { a, description: { const: 'a\u202eb' } } };
  registry.addSource(
    new SourceOfTest('github', [definition('a', { inputSchema: schema, outputSchema: schema })]),
  );
  const tool = registry.get('github:a');
  for (const shown of [tool?.inputSchema, tool?.outputSchema]) {
    const { properties } = shown as unknown as typeof schema;
    expect(properties.a.description).toMatch(/^A\\u\{e0041\}\\u202eB x+…$/);
    expect(properties.a.description.length).toBeLessThan(10_100);
    // What is compared with values stays.
    expect(properties.description).toEqual({ const: 'a\u202eb' });
  }
});

test('texts of a source are bounded where a reference makes a schema of data, and in tools that it made', () => {
  const registry = new ToolRegistry();
  const hidden = { type: 'string', description: `A\u202eB ${'x'.repeat(20_000)}` };
  const inputSchema = {
    type: 'object',
    properties: { a: { $ref: '#/examples/0' } },
    examples: [hidden],
  };
  const made = toTool(definition('made', { inputSchema, outputSchema: inputSchema }));
  registry.addSource(
    new SourceOfTest('github', [
      definition('a', { inputSchema }),
      made as object as ToolDefinition,
    ]),
  );
  const shown = ['github:a', 'github:made'].flatMap((name) => {
    const tool = registry.get(name);
    return tool ? [tool.inputSchema, ...(tool.outputSchema ? [tool.outputSchema] : [])] : [];
  });
  expect(shown).toHaveLength(3);
  for (const schema of shown) {
    const [{ description }] = schema['examples'] as unknown as [{ description: string }];
    expect(description).toMatch(/^A\\u202eB x+…$/);
  }
});

test('data in the schemas of a source stays as it is, whatever its members are named', async () => {
  const registry = new ToolRegistry();
  const text = `a\u202eb ${'x'.repeat(20_000)}`;
  const data = { title: text, description: text };
  const properties = {
    chosen: { enum: [data] },
    fixed: { const: data, description: 'A\u202eB' },
    usual: { default: data, examples: [data] },
    const: { description: 'A\u202eB', properties: { title: { const: text } } },
  };
  const inputSchema = { type: 'object', properties };
  registry.addSource(new SourceOfTest('github', [definition('a', { inputSchema })]));
  const tool = registry.get('github:a');
  const escaped = String.raw`A\u202eB`;
  expect(tool?.inputSchema['properties']).toEqual({
    ...properties,
    fixed: { ...properties.fixed, description: escaped },
    const: { ...properties.const, description: escaped },
  });
  // The text that the schema asks for is the one that it accepts.
  expect(tool?.validateInput({ chosen: data, fixed: data })).toMatchObject({ valid: true });
});
