import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';

const tool = { name: 'a', description: 'Does it.', run: () => 1 };

describe('annotations of a tool', () => {
  it('are those that were given, and no others', () => {
    expect(defineTool(tool).annotations).toEqual({});
    const annotations = { readOnlyHint: true, destructiveHint: false };
    expect(defineTool({ ...tool, annotations }).annotations).toEqual(annotations);
  });

  it('cannot be changed afterwards', () => {
    const annotations = { readOnlyHint: false };
    const made = defineTool({ ...tool, annotations });
    annotations.readOnlyHint = true;
    expect(made.annotations).toEqual({ readOnlyHint: false });
    expect(() => Object.assign(made.annotations, { readOnlyHint: true })).toThrow(TypeError);
  });

  it('stay with a tool of a source', () => {
    const annotations = { idempotentHint: true };
    const tools = new ToolRegistry();
    tools.addSource({
      name: 'source',
      tools: () => [{ ...tool, annotations }, defineTool({ ...tool, name: 'b', annotations })],
    });
    expect(tools.list().map((one) => [one.name, one.annotations])).toEqual([
      ['source:a', annotations],
      ['source:b', annotations],
    ]);
  });

  it.each([
    [{ readonlyHint: true }, 'annotations has no option readonlyHint. Did you mean readOnlyHint?'],
    [{ title: 'A' }, 'annotations has no option title.'],
    [{ readOnlyHint: 'yes' }, 'annotations: readOnlyHint must be true or false, not "yes".'],
    [null, 'The options of annotations must be an object, not null.'],
    [[true], 'The options of annotations must be an object, not an array.'],
  ])('that are wrong are refused: %j', (annotations, message) => {
    expect(() => defineTool({ ...tool, annotations: annotations as object })).toThrow(
      expect.objectContaining({
        code: 'TOOL_INVALID',
        message: expect.stringContaining(`Tool "a": ${message}`),
      }),
    );
  });
});
