// `npm run soak`: starts, uses and ends sandboxes for some time, verifies every answer, and checks
// what is left behind.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { dockerProvider } from '../../dist/providers/docker/docker-provider.js';
import { loadProvider, PROVIDER_NAMES } from '../../dist/providers/select-provider.js';
import { openCorpus } from './corpus.mjs';
import { NO_ENGINE, openEngine } from './engine.mjs';
import { openPods } from './pods.mjs';
import { withFleet } from './fleet.mjs';
import { Canaries } from './hostile.mjs';
import { count, countUntilSettled, processTree } from './leftovers.mjs';
import { seededRandom } from './random.mjs';
import { chooseScenarios, LIMITS, soakTools } from './scenarios.mjs';

/**
 * How long a task of the host may wait for its turn, even during floods of output, in 99 of 100
 * cases.
 */
const LOOP_DELAY_MS = 50;
/**
 * The interval of the measurement. Each recorded value includes one interval, which is not a delay.
 */
const LOOP_LOOK_MS = 10;

const HELP = `npm run soak -- [options]

  --minutes N       how long (default 10)
  --provider NAME   ${PROVIDER_NAMES.join(' or ')} (default docker)
  --seed N          repeats the choices of the run that printed it
  --help            this text

With kubernetes, the namespace is that of the current context of KUBECONFIG. It needs a template, and nobody else may use it.

Programs are in every language that the provider has, in sandboxes of one interpreter and of all of them. One
in four is hostile, and each of their sessions has a secret that no other may print. The exit status is 1 if an answer
was wrong, a run was lost, a secret was printed, something was left behind, or the 99th percentile of the event loop's
delay exceeded ${LOOP_DELAY_MS} ms.
`;

/** What has the sandboxes of a provider, unless they are processes of this one. */
const ENGINES = { docker: openEngine, kubernetes: openPods };
/** One pod in the pool of each executor, and two more: a node of two processors has room for eighteen. */
const FEW = { pool: { minReady: 1, maxReady: 1 }, maxSandboxes: 3 };
// So that some sandboxes come from the pool and some do not.
const MANY = { pool: { minReady: 1, maxReady: 3 }, maxSandboxes: 12 };

const WORKERS = 3;
const MINUTE_MS = 60_000;
const LOOK_INTERVAL_MS = 2000;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    provider: { type: 'string', default: 'docker' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) process.stdout.write(HELP);
else await main(number('minutes'), number('seed'), options.provider);

async function main(minutes, seed, providerName) {
  if (!PROVIDER_NAMES.includes(providerName)) throw new Error(`Unknown provider ${providerName}.`);
  console.log(`${minutes} minutes on ${providerName}, seed ${seed}`);
  const engine = await (ENGINES[providerName]?.() ?? NO_ENGINE);
  const corpus = await openCorpus(providerName);
  // Loaded once, so that compiled code does not count as a leak.
  await use(providerName, corpus.tools, undefined, async (places) => {
    for (const { executor, programs } of places) await executor.execute(programs.add(1, 1));
  });
  const strays = new Map();
  const start = await count(engine, strays);
  const tally = { played: new Map(), languages: new Map(), failures: [] };
  const loop = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });
  const canaries = new Canaries();
  await use(providerName, corpus.tools, canaries, async (places) => {
    const stages = setStages(providerName, places);
    const context = { providerName, corpus, canaries, ...watching(engine, strays) };
    const timers = [
      setInterval(() => void printMinute(tally, engine), MINUTE_MS),
      setInterval(() => void engine.look().catch(() => undefined), LOOK_INTERVAL_MS),
    ];
    loop.enable();
    const deadline = performance.now() + minutes * MINUTE_MS;
    await Promise.all(
      Array.from({ length: WORKERS }, (_, worker) =>
        churn(stages, { ...context, worker, seed: seed + worker }, deadline, tally),
      ),
    );
    loop.disable();
    for (const timer of timers) clearInterval(timer);
  });
  if (providerName === 'docker') await sweep();
  const { now, left } = await countUntilSettled(engine, strays, start);
  engine.close();
  await corpus.close();
  judgeDelay(loop, tally);
  printSummary(tally, start, now, left);
  if (tally.failures.length > 0 || left.length > 0) process.exitCode = 1;
}

/** Which scenarios are possible where. */
function setStages(providerName, places) {
  const stages = places.map((place) => {
    const { scenarios, left } = chooseScenarios(providerName, place);
    return { place, choices: scenarios.map((scenario) => [scenario, scenario.weight]), left };
  });
  const nowhere = stages[0].left.filter((name) => stages.every(({ left }) => left.includes(name)));
  if (nowhere.length > 0) console.log(`not played here: ${nowhere.join(', ')}`);
  return stages;
}

/** Runs one scenario after the other until the time is over. */
async function churn(stages, context, deadline, tally) {
  const random = seededRandom(context.seed);
  for (let turn = 0; performance.now() < deadline; turn += 1) {
    const { place, choices } = stages[random.integer(0, stages.length - 1)];
    const scenario = random.weighted(choices);
    // Its own generator: how many numbers a scenario uses must not change later ones.
    const own = seededRandom(context.seed * 1_000_003 + turn);
    try {
      await scenario.run({ ...context, ...place, random: own });
    } catch (error) {
      tally.failures.push(scenario.name);
      const where = `${place.language} of ${place.languages.join(', ')}`;
      const turned = `worker ${context.worker}, turn ${turn}`;
      console.error(`WRONG: ${scenario.name}, ${where}, ${turned}:`, error);
    }
    add(tally.played, scenario.name);
    add(tally.languages, place.language);
  }
}

/** Gives scenarios what they need to act from outside, and to record whom they killed. */
function watching(engine, strays) {
  return {
    children: processTree,
    killContainer: engine.kill,
    onHost(processId, descendants = new Map()) {
      engine.addOwner(processId);
      for (const [id, startTime] of descendants) strays.set(id, startTime);
    },
  };
}

async function use(providerName, tools, canaries, work) {
  const onProgress = (message) => console.error(message);
  const provider = await loadProvider(providerName, onProgress);
  const executorOptions = {
    tools: soakTools(tools),
    limits: LIMITS,
    ...(providerName === 'kubernetes' ? FEW : MANY),
  };
  try {
    await withFleet(provider, executorOptions, (result) => canaries?.check(result), work);
  } finally {
    await provider.close();
  }
}

/**
 * Does what any other process does once a minute: removes containers of hosts that were killed
 * between creating and starting them.
 */
async function sweep() {
  const provider = dockerProvider();
  const removed = await provider.removeOrphans();
  await provider.close();
  console.log(`\na sweep removed ${removed.length} that hosts had no time to start`);
}

function judgeDelay(loop, { failures }) {
  const [p99, longest] = [loop.percentile(99), loop.max].map((ns) => ns / 1e6 - LOOP_LOOK_MS);
  const figures = `p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`;
  console.log(`\ndelay of the event loop: ${figures}`);
  if (p99 > LOOP_DELAY_MS) failures.push('event-loop delay');
}

async function printMinute({ played, failures }, engine) {
  const containers = await engine.countContainers();
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
  const { rss, heapUsed } = process.memoryUsage();
  const facts = `${containers} containers, heap ${megabytes(heapUsed)}, resident ${megabytes(rss)}`;
  const time = new Date().toISOString();
  console.log(`${time} ${total(played)} played, ${failures.length} wrong, ${facts}`);
}

function printSummary({ played, languages, failures }, start, now, left) {
  const each = (counts) => [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
  console.log(`\n${total(played)} played: ${each(played)}`);
  console.log(`in ${each(languages)}`);
  console.log(`${failures.length} wrong${failures.length > 0 ? `: ${failures.join(', ')}` : ''}`);
  console.log('at the start and at the end:');
  for (const name of new Set([...Object.keys(start), ...Object.keys(now)])) {
    console.log(`  ${name.padEnd(28)}${start[name] ?? 0} → ${now[name] ?? 0}`);
  }
  console.log(left.length === 0 ? 'nothing is left behind' : `LEFT BEHIND\n  ${left.join('\n  ')}`);
}

function add(counts, name) {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function total(played) {
  return [...played.values()].reduce((sum, times) => sum + times, 0);
}

function number(name) {
  const value = Number(options[name]);
  if (value >= 0 && options[name] !== '') return value;
  throw new Error(`--${name} must be a number that is not negative, not ${options[name]}.`);
}
