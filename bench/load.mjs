// Measures how long a conversation takes to be read from its file, and how long the event loop is
// held meanwhile.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore, ProgrammaticToolOrchestrator, ToolRegistry } from '../dist/index.js';
import { collectGarbage } from './memory.mjs';
import { median, processorTime, watchTurns } from './statistics.mjs';

const ROUNDS = 5;
const SMALL_TURNS = 1000;
const LARGE_TURNS = 10_000;
const CALLS_OF_A_TURN = 1;
const MEGABYTE = 1_000_000;
const KEY = 'conversation';

const model = { id: 'none', async *stream() {} };

/** The processor time to load a large conversation, and to parse the same lines as JSON, in ms. */
export async function load({ executor }) {
  return await withFile(LARGE_TURNS, async (file) => {
    const value = await medianOf(async () => (await loadOnce(executor, file)).time);
    const floor = await medianOf(async () => processorTime(() => parseLines(file.text)));
    return { value, floor, notes: [sizeOf(file)] };
  });
}

/** The processor time for each megabyte of a large conversation, and of a small one, in ms. */
export async function loadBySize({ executor }) {
  const eachMegabyte = async (turns) =>
    withFile(turns, async (file) => {
      const time = await medianOf(async () => (await loadOnce(executor, file)).time);
      return { time: time / (file.text.length / MEGABYTE), size: sizeOf(file) };
    });
  const small = await eachMegabyte(SMALL_TURNS);
  const large = await eachMegabyte(LARGE_TURNS);
  return { value: large.time, floor: small.time, notes: [`${large.size}; ${small.size}`] };
}

/** The longest that the event loop is held while a large conversation is loaded, in ms. */
export async function loadTurn({ executor }) {
  return await withFile(LARGE_TURNS, async (file) => ({
    value: await medianOf(async () => (await loadOnce(executor, file)).longestTurn),
    notes: [sizeOf(file)],
  }));
}

async function withFile(turns, use) {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-bench-'));
  try {
    const entries = Array.from({ length: turns }, (_, turn) => entriesOf(turn)).flat();
    await fileStore({ directory }).append({ key: KEY, entries, after: 0 });
    const [name] = await readdir(directory);
    return await use({ directory, text: await readFile(join(directory, name), 'utf8') });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The entries of a turn: the result of the last one, a program, and its calls. */
function entriesOf(turn) {
  const runId = 'run';
  const toolUseId = `use-${turn}`;
  const result = {
    type: 'tool-result',
    toolUseId: `use-${turn - 1}`,
    text: 'r'.repeat(500),
    isError: false,
  };
  const program = {
    type: 'tool-use',
    id: toolUseId,
    name: 'execute_code',
    input: { code: 'c'.repeat(300) },
  };
  const messages = [
    { role: 'user', content: [turn === 0 ? { type: 'text', text: 'Begin.' } : result] },
    { role: 'assistant', content: [program] },
  ];
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
  const calls = Array.from({ length: CALLS_OF_A_TURN }, (_, index) => {
    const call = { runId, toolUseId, callId: `${index}` };
    return [
      { type: 'tool-call-started', ...call, toolName: 'act', arguments: 'a'.repeat(200) },
      { type: 'tool-call-ended', ...call, result: 'a'.repeat(200) },
    ];
  });
  return [
    { type: 'messages', runId, from: 2 * turn, messages, usage, hasState: true, stateId: 's' },
    ...calls.flat(),
  ];
}

/** Loads a conversation as a process does that has not read it before. */
async function loadOnce(executor, { directory }) {
  const conversation = new ProgrammaticToolOrchestrator({
    model,
    executor,
    tools: new ToolRegistry(),
    sessionKey: KEY,
    store: fileStore({ directory }),
  });
  const turns = watchTurns();
  const time = await processorTime(() => conversation.load());
  return { time, longestTurn: turns.longest() };
}

function parseLines(text) {
  for (const line of text.split('\n')) if (line !== '') JSON.parse(line);
}

/** The first time does not count: V8 compiles what is measured, and the schemas are compiled. */
async function medianOf(measure) {
  await measure();
  const values = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await collectGarbage();
    values.push(await measure());
  }
  return median(values);
}

function sizeOf({ text }) {
  return `${(text.length / MEGABYTE).toFixed(1)} MB`;
}
