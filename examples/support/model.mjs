// @ts-check
import { scriptedModel } from 'sandboxed-ptc';
import { anthropicModel } from 'sandboxed-ptc/anthropic';

/**
 * Returns a real model if there is an API key, otherwise a script. The script's programs are part
 * of the example, but they really run, and its answers quote their results.
 * @param {Parameters<typeof scriptedModel>[0]} script
 */
export function modelOrScript(script) {
  if (process.env.ANTHROPIC_API_KEY) {
    const model = anthropicModel({ model: 'claude-sonnet-5-5' });
    console.log(`Model: ${model.id}`);
    return model;
  }
  console.log('Model: a script, because ANTHROPIC_API_KEY is not set; its programs really run');
  return scriptedModel(script);
}

let toolUses = 0;

/**
 * Creates a turn in which the model calls a tool.
 * @param {string} text what it says first
 * @param {string} name
 * @param {import('sandboxed-ptc').JsonObject} input
 * @returns {import('sandboxed-ptc').AssistantBlock[]}
 */
export function callTool(text, name, input) {
  toolUses += 1;
  return [
    { type: 'text', text },
    { type: 'tool-use', id: `call_${toolUses}`, name, input },
  ];
}

/**
 * The result of the last tool call of a request.
 * @param {import('sandboxed-ptc').ModelRequest} request
 */
export function lastResult(request) {
  const block = request.messages.at(-1)?.content.at(-1);
  return block?.type === 'tool-result' ? block.text.trimEnd() : '';
}
