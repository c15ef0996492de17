#!/usr/bin/env node
// @ts-check
// The same program in Python and in TypeScript, in one sandbox, with the same tools, files and
// result.
import assert from 'node:assert/strict';
import { SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';

const sales = {
  East: [1200, 3400],
  West: [900, 2500, 4100],
  Central: [3000],
};

const tools = new ToolRegistry([
  {
    name: 'query_sales',
    description: 'Revenue of each sale of a region.',
    inputSchema: {
      type: 'object',
      properties: { region: { enum: ['East', 'West', 'Central'] } },
      required: ['region'],
    },
    outputSchema: { type: 'array', items: { type: 'number' } },
    run: (input) => sales[/** @type {{ region: keyof typeof sales }} */ (input).region],
  },
]);

const inPython = `import asyncio

regions = ["East", "West", "Central"]
sales = await asyncio.gather(*(query_sales(region=region) for region in regions))
totals = {region: sum(amounts) for region, amounts in zip(regions, sales)}
best = max(totals, key=totals.get)
print(f"{best}: {totals[best]}")`;

const inTypeScript = `type Region = 'East' | 'West' | 'Central';
const regions: Region[] = ['East', 'West', 'Central'];
const sales = await Promise.all(regions.map((region) => query_sales({ region })));
const totals = new Map(
  regions.map((region, i) => [region, sales[i].reduce((sum, amount) => sum + amount, 0)]),
);
const [best] = [...totals].sort((a, b) => b[1] - a[1]);
console.log(\`\${best[0]}: \${best[1]}\`);`;

const executor = new SandboxExecutor({
  tools,
  languages: ['python', 'typescript'],
  onProgress: console.log,
});

try {
  const session = await executor.acquire();
  const python = await session.execute(inPython);
  console.log('Python:    ', python.stdout.trimEnd());
  const typescript = await session.execute(inTypeScript, { language: 'typescript' });
  console.log('TypeScript:', typescript.stdout.trimEnd());
  assert.equal(typescript.error, undefined);
  assert.equal(python.stdout, 'West: 7500\n');
  assert.equal(typescript.stdout, python.stdout);
  assert.deepEqual([python.toolCalls, typescript.toolCalls], [3, 3]);

  // Each language keeps its own variables for the next program.
  const again = await session.execute('totals.size', { language: 'typescript' });
  assert.equal(again.stdout, '3\n');
} finally {
  await executor.close();
}
