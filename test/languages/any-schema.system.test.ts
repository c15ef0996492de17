import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { python } from '../../src/languages/python/python.ts';
import { typescript } from '../../src/languages/typescript/typescript.ts';
import { toTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { documents, valueFor, type Json } from '../support/schemas.ts';
import { typeErrors } from '../support/type-check.ts';

function tool(name: string, schema: { [keyword: string]: Json }): Tool {
  const outputSchema = schema;
  try {
    return toTool({
      name,
      description: 'Does it.',
      inputSchema: schema,
      outputSchema,
      run: () => 1,
    });
  } catch (error) {
    // A definition that is only a reference to itself, which no validator takes.
    fc.pre(!String(error).includes('call stack size'));
    throw error;
  }
}

function isAccepted(one: Tool, value: Json): boolean {
  return one.validateInput(value).valid;
}

/** The same numbers for the same seed. */
function chooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('the TypeScript declarations of any schemas compile, and take every value that is valid', () => {
  let calls = 0;
  fc.assert(
    fc.property(documents, documents, fc.nat(), (first, second, seed) => {
      const tools = [
        tool('orders', first),
        tool('orders:list', second),
        tool('orders:delete', {
          ...first,
          description: 'The same types.',
        }),
      ];
      const choose = chooser(seed);
      const program = tools.flatMap((one, index) => {
        const values = Array.from({ length: 4 }, () =>
          valueFor(one.inputSchema as Json, one.inputSchema as { [keyword: string]: Json }, choose),
        ).filter((value) => value !== undefined && isAccepted(one, value));
        calls += values.length;
        const path = ['orders', 'orders.list', 'orders.delete'][index];
        return values.map((value) => `await ${path}(${JSON.stringify(value)});`);
      });
      const declarations = typescript.documentation(tools);
      const errors = typeErrors(declarations, program.join('\n'));
      expect(errors, `${declarations}\n\n${program.join('\n')}`).toEqual([]);
    }),
    { numRuns: 35 },
  );
  expect(calls).toBeGreaterThan(35);
});

test('the Python documentation of any schemas parses, and every type in it is defined', () => {
  const documentations: string[] = [];
  fc.assert(
    fc.property(documents, documents, (first, second) => {
      documentations.push(python.documentation([tool('orders', first), tool('Order', second)]));
    }),
    { numRuns: 100 },
  );
  const program = `
import ast, builtins, json, sys
known = {"Any", "Literal", "Never", "NotRequired", "TypedDict", *dir(builtins)}
unknown = []
for text in json.load(sys.stdin):
    body = ast.parse(text).body
    defined = {node.name for node in body if hasattr(node, "name")}
    defined |= {node.targets[0].id for node in body if isinstance(node, ast.Assign)}
    names = [node for node in ast.walk(ast.Module(body, [])) if isinstance(node, ast.Name)]
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    if used - defined - known:
        unknown.append([*(used - defined - known), text])
print(json.dumps(unknown))
`;
  const input = JSON.stringify(documentations);
  const unknown: unknown = JSON.parse(String(execFileSync('python3', ['-c', program], { input })));
  expect(unknown).toEqual([]);
});
