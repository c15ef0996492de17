// The OpenAI Agents SDK asks a model that writes programs. Set OPENAI_API_KEY, and OPENAI_BASE_URL for a compatible server.
// Needs: npm install sandboxed-ptc @openai/agents zod
import assert from 'node:assert/strict';
import { Agent, run, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import { codeTool, SandboxExecutor } from 'sandboxed-ptc';

const querySales = {
  name: 'query_sales',
  description: 'Returns the sales of a region, a list of {customer, revenue}.',
  inputSchema: { type: 'object', properties: { region: { type: 'string' } } },
  run: () => [100, 200].map((revenue, index) => ({ customer: `C${index}`, revenue })),
};
const executor = new SandboxExecutor(); // one for the whole server
const code = codeTool({ executor, tools: [querySales] });

setOpenAIAPI('chat_completions'); // compatible servers have this API; without it, the SDK uses the Responses API
setTracingDisabled(true);
const agent = new Agent({
  name: 'analyst',
  model: process.env.MODEL ?? 'gpt-5.2',
  instructions: code.systemPrompt,
  tools: [
    tool({
      name: code.name,
      description: code.description,
      parameters: { required: [], additionalProperties: false, ...code.inputSchema },
      strict: false,
      errorFunction: null, // an error of the host ends the run; otherwise the model would get it
      execute: async (input, _context, details) =>
        (await code.execute(input, { signal: details?.signal })).text,
    }),
  ],
});
const { finalOutput } = await run(agent, 'What did the East sell for?', { maxTurns: 10 });
console.log(finalOutput);
assert.match(finalOutput, /300/);
await code.close();
await executor.close();
