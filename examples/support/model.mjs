// @ts-check
import { scriptedModel } from 'sandboxed-ptc';
import { anthropicModel } from 'sandboxed-ptc/anthropic';

/**
 * A real model where there is a key for one, else a script: its programs are written down in the
 * example, but they really run, and its answers quote what came of them.
 * @param {Parameters<typeof scriptedModel>[0]} script
 */
export function modelOrScript(script) {
  if (process.env.ANTHROPIC_API_KEY) {
    const model = anthropicModel({ model: 'claude-sonnet-5-5' });
    console.log(`Model: ${model.id}`);
    return model;
  }
  console.log('Model: a script, for ANTHROPIC_API_KEY is not set; its code really runs');
  return scriptedModel(script);
}

let toolUses = 0;

/**
 * A turn in which the model calls a tool.
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
 * What the last tool call of a request gave back.
 * @param {import('sandboxed-ptc').ModelRequest} request
 */
export function lastResult(request) {
  const block = request.messages.at(-1)?.content.at(-1);
  return block?.type === 'tool-result' ? block.text.trimEnd() : '';
}
