// Mastra asks a model that writes programs. Set OPENAI_API_KEY, and OPENAI_BASE_URL for a compatible server.
// Needs: npm install sandboxed-ptc @mastra/core zod
import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { codeTool, SandboxExecutor } from 'sandboxed-ptc';

const querySales = {
  name: 'query_sales',
  description: 'Returns the sales of a region, a list of {customer, revenue}.',
  inputSchema: { type: 'object', properties: { region: { type: 'string' } } },
  run: () => [100, 200].map((revenue, index) => ({ customer: `C${index}`, revenue })),
};
const executor = new SandboxExecutor(); // one for the whole server
const code = codeTool({ executor, tools: [querySales] });

const stop = new AbortController(); // one for each answer: Mastra gives the model what a tool throws
const options = { signal: stop.signal, onHostError: stop.abort.bind(stop) };
const execute_code = createTool({
  id: code.name,
  description: code.description,
  inputSchema: code.inputSchema,
  execute: async (input) => (await code.execute(input, options)).text,
});
const { MODEL = 'gpt-5.2', OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey } = process.env;
const agent = new Agent({
  id: 'analyst',
  name: 'analyst',
  instructions: code.systemPrompt,
  model: { id: `openai/${MODEL}`, url, apiKey },
  tools: { execute_code },
});
const question = 'What did the East sell for?';
const { text } = await agent.generate(question, { maxSteps: 10, abortSignal: stop.signal });
stop.signal.throwIfAborted();
console.log(text);
assert.match(text, /300/);
await executor.close();
