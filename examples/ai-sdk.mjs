// The AI SDK asks a model that writes programs. A mock stands in for the model; its program really runs.
// Needs: npm install ai
import assert from 'node:assert/strict';
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { SandboxExecutor } from 'sandboxed-ptc';
import { executeCodeTool } from 'sandboxed-ptc/ai-sdk';
import { z } from 'zod';

const STOCK = { tea: 40, cups: 2 };
const stock = tool({
  description: 'The stock of an item.',
  inputSchema: z.object({ item: z.enum(['tea', 'cups']) }),
  execute: ({ item }) => STOCK[item],
});

const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const answer = (content, unified) => ({
  content: [content],
  finishReason: { unified, raw: unified },
  usage: { inputTokens: count, outputTokens: count },
  warnings: [],
});
const input = JSON.stringify({ code: 'print(await stock("tea") + await stock("cups"))' });
const call = { type: 'tool-call', toolCallId: 'a', toolName: 'execute_code', input };
const model = new MockLanguageModelV3({
  doGenerate: [answer(call, 'tool-calls'), answer({ type: 'text', text: 'Done.' }, 'stop')],
});

const executor = new SandboxExecutor(); // one for the whole server
const execute_code = executeCodeTool({ executor, sessionKey: 'chat-1', tools: { stock } });
const { text, steps } = await generateText({
  model,
  tools: { execute_code },
  stopWhen: stepCountIs(10),
  prompt: 'How many things are there?',
});
console.log(`The program printed ${steps[0].toolResults[0].output.text}. ${text}`);
assert.equal(steps[0].toolResults[0].output.text, '42');
await executor.close();
