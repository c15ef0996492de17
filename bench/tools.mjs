// Measures what many tools cost: 1,000 tools of a source, as large as the operations of a big API.

import { readFileSync } from 'node:fs';
import { SandboxExecutor, ToolRegistry } from '../dist/index.js';
import { ToolIndex } from '../dist/languages/catalog/tool-index.js';
import { defineTool } from '../dist/tools/define-tool.js';
import { first, warm } from './measures.mjs';
import { interleave, median, processorTime, quantile, timed } from './statistics.mjs';

const MANY = 1000;
const FEW = 5;
const ROUNDS = 15;

/** The time to the first result of a new sandbox, with many tools and with few. */
export async function toolsCold(context) {
  return compare(context, (executor) => first(executor));
}

/** A small program in an open session, with many tools and with few. */
export async function toolsWarm(context) {
  const sessions = new Map();
  return compare(context, async (executor) => {
    if (!sessions.has(executor)) sessions.set(executor, await executor.acquire());
    return warm(sessions.get(executor));
  });
}

/** The time until many tools are in a registry and ready for a program. */
export async function toolsAdd() {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const source = sourceOf(MANY);
    times.push(
      await timed(async () => {
        const tools = new ToolRegistry();
        tools.addSource(source);
        tools.list();
      }),
    );
  }
  return { value: median(times), notes: [`${MANY} tools of a source`] };
}

/**
 * The host's processor time of a search among the operations of GitHub, without that of the first, which
 * makes the index.
 */
export async function toolsSearch() {
  const tools = readLines('operations').map(({ id, summary }) =>
    defineTool({
      name: `github:${id.replaceAll('/', '_')}`,
      description: summary,
      run: () => null,
    }),
  );
  const index = await ToolIndex.of(tools);
  const times = [];
  const processorTimes = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { question } of readLines('questions')) {
      const search = () => index.search(question, 5, () => true);
      times.push(await timed(async () => processorTimes.push(await processorTime(search))));
    }
  }
  const [p50, p95] = [median(times), quantile(times, 0.95)].map((time) => time.toFixed(2));
  return {
    value: quantile(processorTimes, 0.95),
    notes: [`${tools.length} tools of GitHub`, `elapsed time: median ${p50} ms, p95 ${p95} ms`],
  };
}

function readLines(name) {
  const file = new URL(`../test/fixtures/github/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function compare({ provider }, measure) {
  const executors = [MANY, FEW].map((count) => {
    const tools = new ToolRegistry();
    tools.addSource(sourceOf(count));
    return new SandboxExecutor({ provider, tools });
  });
  const [many, few] = executors;
  try {
    // What is made of the tools once, and kept.
    await measure(many);
    await measure(few);
    const { value, floor } = await interleave(ROUNDS, {
      value: () => measure(many),
      floor: () => measure(few),
    });
    return { value, floor, notes: [`${MANY} tools of a source, by ${FEW}`] };
  } finally {
    for (const executor of executors) await executor.close();
  }
}

/** A source of tools with eight arguments and a result, each with a description. */
function sourceOf(count) {
  const tools = Array.from({ length: count }, (_, index) => toolOf(index));
  return { name: 'github', tools: () => tools };
}

function toolOf(index) {
  const text = (name) => ({
    type: 'string',
    description: `The ${name} of the ${index}th resource.`,
  });
  const properties = {
    owner: text('owner'),
    repo: text('repository'),
    title: text('title'),
    body: text('body'),
    labels: { type: 'array', items: { type: 'string' }, description: 'Labels to set.' },
    state: { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' },
    per_page: { type: 'integer', minimum: 1, maximum: 100, default: 30 },
    filter: { type: 'object', properties: { since: text('time'), until: text('time') } },
  };
  return {
    name: `create_resource_${index}`,
    description: `Creates a resource of kind ${index}. ${'It says what that means. '.repeat(20)}`,
    inputSchema: { type: 'object', properties, required: ['owner', 'repo'] },
    outputSchema: { type: 'object', properties: { id: { type: 'integer' }, ...properties } },
    run: () => null,
  };
}
