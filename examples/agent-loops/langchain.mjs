// LangChain asks a model that writes programs. Set OPENAI_API_KEY, and OPENAI_BASE_URL for a compatible server.
// Needs: npm install sandboxed-ptc langchain @langchain/core @langchain/openai
import assert from 'node:assert/strict';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool, ToolMessage } from 'langchain';
import { codeTool, SandboxExecutor } from 'sandboxed-ptc';

const querySales = {
  name: 'query_sales',
  description: 'Returns the sales of a region, a list of {customer, revenue}.',
  inputSchema: { type: 'object', properties: { region: { type: 'string' } } },
  run: () => [100, 200].map((revenue, index) => ({ customer: `C${index}`, revenue })),
};
const executor = new SandboxExecutor(); // one for the whole server
const code = codeTool({ executor, tools: [querySales] });

const stop = new AbortController(); // one for each answer: LangChain gives the model what a tool throws
const options = { signal: stop.signal, onHostError: stop.abort.bind(stop) };
const execute = async (input, { toolCall }) => {
  const { text, isError } = await code.execute(input, options);
  const status = isError ? 'error' : 'success';
  return new ToolMessage({ content: text, status, tool_call_id: toolCall.id, name: code.name });
};
const agent = createAgent({
  model: new ChatOpenAI({ model: process.env.MODEL ?? 'gpt-5.2' }),
  systemPrompt: code.systemPrompt,
  tools: [
    tool(execute, { name: code.name, description: code.description, schema: code.inputSchema }),
  ],
});
const question = { messages: [{ role: 'user', content: 'What did the East sell for?' }] };
const { messages } = await agent.invoke(question, { signal: stop.signal, recursionLimit: 20 });
console.log(messages.at(-1).text);
assert.match(messages.at(-1).text, /300/);
await executor.close();
