#!/usr/bin/env node
// @ts-check
// A program that takes long: the model looks at what it printed so far, stops it, and waits for another one.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import {
  defineTool,
  ProgrammaticToolOrchestrator,
  SandboxExecutor,
  scriptedModel,
} from 'sandboxed-ptc';
import * as z from 'zod';

/** @type {string[]} */
const rebuilt = [];

const executor = new SandboxExecutor({
  tools: [
    defineTool({
      name: 'rebuild_index',
      description: 'Rebuilds the index of a table, which takes long.',
      inputSchema: z.object({ table: z.string() }),
      run: async ({ table }, { signal }) => {
        // The large table would take an hour.
        await delay(table === 'archive' ? 3_600_000 : 300, undefined, { signal });
        rebuilt.push(table);
        return 'ok';
      },
    }),
  ],
  onProgress: console.log,
});

/** @param {string} tables */
const program = (tables) => `
for table in ${tables}:
    print("rebuilding", table, flush=True)
    await rebuild_index(table=table)
print("all done")`;

/** @param {string} id @param {import('sandboxed-ptc').JsonObject} input */
const executes = (id, input) => [
  /** @type {const} */ ({ type: 'tool-use', id, name: 'execute_code', input }),
];

/** The last result that the model got. @param {import('sandboxed-ptc').ModelRequest} request */
function lastResult({ messages }) {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool-result' ? [block.text] : [])),
  );
  return texts.at(-1) ?? '';
}

let hasStopped = false;

// A model would write these programs itself.
const model = scriptedModel((request) => {
  const result = lastResult(request);
  console.log(`${result}\n`);
  const [, running] = /^\[Program (\w+) still runs/m.exec(result) ?? [];
  if (result === '') return executes('first', { code: program('["archive"]') });
  if (running !== undefined && !hasStopped) {
    hasStopped = true;
    return executes('stop', { program: running, stop: true });
  }
  if (running !== undefined) return executes('wait', { program: running, wait_ms: 60_000 });
  if (result.endsWith('all done')) return [{ type: 'text', text: 'Two indexes are rebuilt.' }];
  return executes('second', { code: program('["orders", "customers"]') });
});

const orchestrator = new ProgrammaticToolOrchestrator({ executor, model, yieldAfterMs: 200 });
try {
  const { text } = await orchestrator.run('Rebuild the indexes.');
  console.log(text);
  assert.deepEqual(rebuilt, ['orders', 'customers']);
} finally {
  await orchestrator.close();
  await executor.close();
}
