#!/usr/bin/env node
// @ts-check
// Tools can have schemas of zod 4, of zod 3, or plain JSON Schema, side by side. In all three
// cases, the model gets their documentation, and arguments are validated before the tool runs.
import assert from 'node:assert/strict';
import { defineTool, SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';
import * as z4 from 'zod';
import { z as z3 } from 'zod/v3';

const tools = new ToolRegistry([
  defineTool({
    name: 'celsius',
    description: 'Converts degrees Fahrenheit to degrees Celsius.',
    inputSchema: z4.object({ fahrenheit: z4.number() }),
    run: ({ fahrenheit }) => ((fahrenheit - 32) * 5) / 9,
  }),
  defineTool({
    name: 'greet',
    description: 'Greets someone.',
    inputSchema: z3.object({
      name: z3.string().min(1),
      language: z3.enum(['en', 'fr']).default('en'),
    }),
    run: ({ name, language }) => `${language === 'fr' ? 'Bonjour' : 'Hello'}, ${name}!`,
  }),
  defineTool({
    name: 'repeat',
    description: 'Repeats a text.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, times: { type: 'integer', minimum: 1, maximum: 10 } },
      required: ['text', 'times'],
      additionalProperties: false,
    },
    run: (/** @type {{ text: string, times: number }} */ { text, times }) => text.repeat(times),
  }),
]);

const executor = new SandboxExecutor({ tools, onProgress: console.log });
try {
  const result = await executor.execute(`\
print(await celsius(fahrenheit=212))
print(await greet(name="Ada"), await greet(name="Ada", language="fr"))
print(await repeat(text="na", times=3))

for call in (celsius(fahrenheit="hot"), greet(name=""), repeat(text="na", times=99)):
    try:
        await call
    except ToolError as error:
        print("refused:", str(error).splitlines()[0])`);
  console.log(result.stdout);
  assert.ok(result.success, result.error?.traceback);
  const lines = result.stdout.trimEnd().split('\n');
  assert.equal(Number(lines[0]), 100);
  assert.equal(lines[1], 'Hello, Ada! Bonjour, Ada!');
  assert.equal(lines[2], 'nanana');
  assert.equal(lines.filter((line) => line.startsWith('refused:')).length, 3);
} finally {
  await executor.close();
}
