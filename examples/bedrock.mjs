#!/usr/bin/env node
// @ts-check
// The same agent on Amazon Bedrock. Only the model differs.
//
//   AWS_REGION=eu-west-1 AWS_PROFILE=me node examples/bedrock.mjs [model id or inference profile]
import assert from 'node:assert/strict';
import { defineTool, ProgrammaticToolOrchestrator, ToolRegistry } from 'sandboxed-ptc';
import { bedrockModel } from 'sandboxed-ptc/bedrock';
import * as z from 'zod';
import { callTool, lastResult, modelOrScript } from './support/model.mjs';

const hasCredentials = ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_BEARER_TOKEN_BEDROCK'].some(
  (name) => process.env[name],
);

/**
 * The readings of a meter, hour by hour.
 * @param {number} day
 */
const readings = (day) => Array.from({ length: 24 }, (_, hour) => (day * (hour + 5)) % 17);

const tools = new ToolRegistry([
  defineTool({
    name: 'read_meter',
    description: 'Returns the readings of one day, one for every hour, in kWh.',
    inputSchema: z.object({ day: z.number().int().min(1).max(31) }),
    outputSchema: z.array(z.number()),
    run: ({ day }) => readings(day),
  }),
]);

const model = hasCredentials ? bedrock() : standIn();
const agent = new ProgrammaticToolOrchestrator({
  model,
  tools,
  executor: { onProgress: console.log },
});
try {
  const result = await agent.run('Which day of days 1 to 5 used most, and how much?');
  console.log(result.text);
  console.log(`${result.toolCalls} tool calls, ${result.usage.inputTokens} tokens read`);
  const most = Math.max(...[1, 2, 3, 4, 5].map(total));
  assert.ok(result.text.includes(String(most)), `${most} kWh is the right answer`);
} finally {
  await agent.close();
}

/** @param {number} day */
function total(day) {
  return readings(day).reduce((sum, reading) => sum + reading, 0);
}

function bedrock() {
  const id = process.argv[2] ?? 'global.anthropic.claude-sonnet-4-6';
  console.log(`Model: ${id} on Amazon Bedrock`);
  return bedrockModel({ model: id });
}

function standIn() {
  console.log('There are no AWS credentials in the environment (AWS_PROFILE, AWS_ACCESS_KEY_ID or');
  console.log('AWS_BEARER_TOKEN_BEDROCK, and AWS_REGION), so a script answers instead.');
  return modelOrScript([
    callTool('I add up the days.', 'execute_code', {
      code: `totals = {day: sum(await read_meter(day=day)) for day in range(1, 6)}
day = max(totals, key=totals.get)
print(f"day {day}: {totals[day]} kWh")`,
    }),
    (request) => [{ type: 'text', text: `Most was used on ${lastResult(request)}.` }],
  ]);
}
