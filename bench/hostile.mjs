// Measures how long hostile data of programs blocks this process's event loop, and how much memory
// it takes.

import { createHistogram } from 'node:perf_hooks';
import { SandboxExecutor, ToolRegistry } from '../dist/index.js';
import { openCorpus } from './soak/corpus.mjs';

const TIME_LIMIT_MS = 60_000;
const MEGABYTE = 1_000_000;
/** How many of the most expensive programs are listed. */
const NAMED = 3;

/** The 99th percentile of the event loop's delay while the programs run, in milliseconds. */
export async function hostile({ provider, onProgress }) {
  const corpus = await openCorpus(provider.name);
  const delays = createHistogram();
  const executors = new Map();
  const costs = [];
  try {
    const attacks = corpus.attacks.filter(
      ({ path, language }) => path.startsWith('host/') && provider.languages.includes(language),
    );
    for (const attack of attacks) {
      onProgress(`${provider.name}: ${attack.path}`);
      const executor = executors.get(attack.language) ?? open(provider, corpus, attack.language);
      executors.set(attack.language, executor);
      costs.push({ path: attack.path, ...(await run(executor, attack, corpus, delays)) });
    }
  } finally {
    for (const executor of executors.values()) await executor.close();
    await corpus.close();
  }
  return {
    value: delays.percentile(99) / 1000,
    notes: [
      `${costs.length} programs, longest delay ${(delays.max / 1000).toFixed(1)} ms`,
      `processor time in the longest turns: ${worst(costs, ({ loopDelayMs }) => loopDelayMs, 'ms')}`,
      `growth of resident memory: ${worst(costs, ({ memoryBytes }) => memoryBytes / MEGABYTE, 'MB')}`,
    ],
  };
}

function open(provider, { tools, policy }, language) {
  return new SandboxExecutor({
    provider,
    tools: new ToolRegistry(tools),
    policy,
    languages: [language],
  });
}

/** The cost of one program in its own session, whose start and end do not count. */
async function run(executor, { code }, corpus, delays) {
  const session = await executor.acquire();
  await session.execute('');
  const watch = await corpus.watchHost(delays);
  await session.execute(code, { timeoutMs: TIME_LIMIT_MS });
  const cost = await watch.stop();
  await session.release();
  return cost;
}

/** The largest figures, each with its program. */
function worst(costs, figureOf, unit) {
  return [...costs]
    .sort((first, second) => figureOf(second) - figureOf(first))
    .slice(0, NAMED)
    .map((cost) => `${figureOf(cost).toFixed(0)} ${unit} (${cost.path})`)
    .join(', ');
}
