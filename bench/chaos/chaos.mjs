// `npm run chaos`: kills hosts, supervisors, guests, containers and engines at random moments.

import { parseArgs } from 'node:util';
import { SandboxExecutor } from '../../dist/index.js';
import { loadProvider } from '../../dist/providers/select-provider.js';
import { openEngine } from '../soak/engine.mjs';
import { count, countUntilSettled } from '../soak/leftovers.mjs';
import { openPods } from '../soak/pods.mjs';
import { seededRandom } from '../soak/random.mjs';
import { LIMITS, soakTools } from '../soak/scenarios.mjs';
import { openUninvolvedSession } from './uninvolved-session.mjs';
import { restartEngine } from './restarts.mjs';
import { KILLS } from './kills.mjs';

const HELP = `npm run chaos -- [options]

Kills processes that take part in a program's run, without warning, at random moments. Within 5 s, and 45 s in a
cluster, every promise must be settled and nothing left, and an uninvolved session must not be affected.

  --times N          the number of kills of hosts, supervisors, guests and containers (default 200)
  --restarts N       how often a separate engine is killed and restarted (default 0; needs root and dockerd)
  --provider NAME    docker or kubernetes (default docker)
  --within S         another time than these 5 or 45 s, for a busy machine
  --seed N           repeats the choices of the run that printed it
  --help             this text

It must run on the machine of the engine or of the only node, as root, to kill the processes of supervisors and guests.
With kubernetes, the namespace is that of the current context of KUBECONFIG. It needs a template, and nobody else may use it.
The exit status is 1 if anything failed.
`;

/**
 * What has the sandboxes of each provider, and how long after a kill every promise is settled and nothing is left. A pod waits
 * half a minute for its host.
 */
const PLACES = {
  docker: { open: openEngine, settledWithinMs: 5000 },
  kubernetes: { open: openPods, settledWithinMs: 45_000 },
};

const { values: options } = parseArgs({
  options: {
    times: { type: 'string', default: '200' },
    restarts: { type: 'string', default: '0' },
    provider: { type: 'string', default: 'docker' },
    within: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) process.stdout.write(HELP);
else await main(number('times'), number('restarts'), number('seed'), options.provider);

async function main(times, restarts, seed, providerName) {
  if (!Object.hasOwn(PLACES, providerName)) {
    throw new Error(`--provider must be docker or kubernetes, not ${providerName}.`);
  }
  console.log(`${times} kills on ${providerName}, ${restarts} restarts of an engine, seed ${seed}`);
  const failures = [];
  if (times > 0) await strikeOften(providerName, { times, seed, failures });
  if (restarts > 0) {
    await restartEngine(restarts, seededRandom(seed)).catch((error) => fail(failures, error));
  }
  console.log(failures.length === 0 ? 'nothing went wrong' : `${failures.length} went wrong`);
  if (failures.length > 0) process.exitCode = 1;
}

async function strikeOften(providerName, { times, seed, failures }) {
  const { open, settledWithinMs: usualMs } = PLACES[providerName];
  const settledWithinMs = options.within === undefined ? usualMs : number('within') * 1000;
  const engine = await open();
  const provider = await loadProvider(providerName, (message) => console.error(message));
  // Loaded once, so that compiled code does not count as a leak.
  await use(provider, (executor) => executor.execute('print(await add(a=1, b=1))'));
  const start = await count(engine, new Map());
  const tally = new Map();
  await use(provider, async (executor) => {
    const uninvolved = await openUninvolvedSession(executor);
    const random = seededRandom(seed);
    for (let turn = 0; turn < times; turn += 1) {
      const { name, kill } = random.weighted(KILLS[providerName]);
      // Its own generator: how many numbers a kill uses must not change later ones.
      const own = seededRandom(seed * 1_000_003 + turn);
      try {
        await kill({ engine, executor, provider, random: own, settledWithinMs });
      } catch (error) {
        fail(failures, error, `${name}, turn ${turn}`);
      }
      tally.set(name, (tally.get(name) ?? 0) + 1);
    }
    const turns = await uninvolved.stop().catch((error) => fail(failures, error));
    console.log(`an uninvolved session ran ${turns ?? 'too few'} programs`);
    const left = executor.activeSessions.length;
    if (left > 0) fail(failures, new Error(`${left} sessions are still open`));
  });
  await provider.close();
  const { left } = await countUntilSettled(engine, new Map(), start);
  engine.close();
  for (const what of left) fail(failures, new Error(`left behind: ${what}`));
  console.log([...tally].map(([name, kills]) => `${name} ${kills}`).join(', '));
}

async function use(provider, work) {
  const executor = new SandboxExecutor({
    provider,
    tools: soakTools(),
    limits: LIMITS,
    // Programs run until they are killed.
    budgets: { toolCalls: 10_000_000 },
  });
  try {
    await work(executor);
  } finally {
    await executor.close();
  }
}

function fail(failures, error, where = '') {
  failures.push(error);
  console.error(`WRONG: ${where}`, error);
}

function number(name) {
  const value = Number(options[name]);
  if (value >= 0 && options[name] !== '') return value;
  throw new Error(`--${name} must be a number that is not negative, not ${options[name]}.`);
}
