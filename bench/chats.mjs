// Measures the orchestrator itself: many conversations whose model and tool answer at once, so that
// no program runs.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore, ProgrammaticToolOrchestrator, ToolRegistry } from '../dist/index.js';
import { collectGarbage } from './memory.mjs';
import { processorTime } from './statistics.mjs';

const CONVERSATIONS = 200;
const RUNS = 50;
/** Each of its steps is flushed to disk. */
const STORED_RUNS = 2;
const TURNS_OF_A_RUN = 2;
const KILOBYTE = 1000;

const tools = new ToolRegistry([
  {
    name: 'add',
    description: 'Adds one.',
    allowedCallers: ['direct'],
    inputSchema: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    run: ({ x }) => x + 1,
  },
]);

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };

/** Calls the tool, then answers. */
const model = {
  id: 'scripted',
  async *stream({ messages }) {
    const toAnswer = messages.at(-1).content.at(-1).type === 'tool-result';
    if (toAnswer) yield { type: 'text-delta', text: 'Done.' };
    const content = toAnswer
      ? [{ type: 'text', text: 'Done.' }]
      : [{ type: 'tool-use', id: `call-${messages.length}`, name: 'add', input: { x: 1 } }];
    const stopReason = toAnswer ? 'end' : 'tool-use';
    yield { type: 'answer-ended', content, stopReason, rawStopReason: stopReason, usage };
  },
};

/** This process's processor time of a turn, in ms. */
export async function chats({ executor }) {
  await warmUp(executor);
  return { value: await turnTime(open(executor), RUNS) };
}

/** The same with a store of files, compared with no store. */
export async function storedChats({ executor }) {
  await warmUp(executor);
  const floor = await turnTime(open(executor), STORED_RUNS);
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-bench-'));
  try {
    const value = await turnTime(open(executor, { store: fileStore({ directory }) }), STORED_RUNS);
    return { value, floor };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** How much of the heap an idle conversation takes, in kB, with the messages of only one run. */
export async function chatMemory({ executor }) {
  await warmUp(executor);
  const before = await heapBytes();
  const conversations = open(executor);
  await turnTime(conversations, RUNS);
  const withMessages = await heapBytes();
  for (const conversation of conversations) conversation.messages = [];
  await turnTime(conversations, 1);
  const each = (bytes) => (bytes - before) / CONVERSATIONS / KILOBYTE;
  return {
    value: each(await heapBytes()),
    notes: [`with the messages of ${RUNS} runs instead of one ${each(withMessages).toFixed(1)} kB`],
  };
}

/** Lets V8 compile everything that is measured. */
async function warmUp(executor) {
  await turnTime(open(executor).slice(0, 10), RUNS);
}

function open(executor, options = {}) {
  return Array.from(
    { length: CONVERSATIONS },
    (_, index) =>
      new ProgrammaticToolOrchestrator({
        model,
        executor,
        tools,
        sessionKey: `chat-${index}`,
        ...options,
      }),
  );
}

/** Measures runs of all conversations at the same time, round after round. */
async function turnTime(conversations, rounds) {
  const total = await processorTime(async () => {
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(conversations.map((conversation) => conversation.run('Add one.')));
    }
  });
  return total / (conversations.length * rounds * TURNS_OF_A_RUN);
}

async function heapBytes() {
  await collectGarbage();
  return process.memoryUsage().heapUsed;
}
