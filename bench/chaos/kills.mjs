// Kills something without warning at a random moment, and checks the effects.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LABELS } from '../../dist/providers/docker/container/container-config.js';
import { hostDies } from '../soak/host-dies.mjs';
import { processTree } from '../soak/leftovers.mjs';
import { killProcessOf } from './kill.mjs';

/** Within this time after a kill, every promise is settled, and nothing is left. */
const SETTLED_WITHIN_MS = 5000;
/** Ends programs that nothing else ends, long after the kill. */
const RUN_LIMIT_MS = 20_000;
const LOOK_INTERVAL_MS = 25;

/** What a program may be doing when it is hit. None ends by itself in time. */
const PROGRAMS = [
  'while True: pass',
  'import time\ntime.sleep(60)',
  'number = 0\nwhile True: number = await add(a=number, b=1)',
  'import asyncio\nawait asyncio.gather(*[asyncio.sleep(60) for _ in range(50)])',
  'while True: print("x" * 1000)',
  'blocks = [bytes(1 << 20) for _ in range(40)]\nwhile True: blocks.append(blocks.pop(0))',
  'import os\nif os.fork() == 0:\n    while True: pass\nwhile True: pass',
];

/** What can be killed, and its weight. */
export const KILLS = [
  [{ name: 'host', kill: killHost }, 3],
  [{ name: 'supervisor', kill: (context) => killInside(context, killSupervisor) }, 3],
  [{ name: 'guest', kill: (context) => killInside(context, killGuest) }, 3],
  [{ name: 'container', kill: (context) => killInside(context, killContainer) }, 3],
];

/**
 * Kills a host that is a separate process. Its child processes must end with it; containers that
 * were not started yet remain for a sweep.
 */
async function killHost({ engine, provider, random }) {
  let host;
  let descendants = new Map();
  await hostDies({
    providerName: 'docker',
    random,
    children: processTree,
    onHost(processId, children) {
      host = processId;
      engine.addOwner(processId);
      descendants = children ?? descendants;
    },
  });
  assert.equal(descendants.size, 0, 'the host had processes beside its containers');
  const ofHost = ({ Labels }) => Labels[LABELS.owner].split('/')[1] === String(host);
  const left = async () => (await engine.look()).filter(ofHost);
  await untilTrue('its containers are gone', async () => {
    const containers = await left();
    // The engine may still be about to create one that it was asked for.
    const unstarted = containers.filter(({ State }) => State === 'created');
    if (unstarted.length > 0) await removeOrphans(engine, provider, unstarted);
    return containers.length === 0;
  });
}

/**
 * Does what a sweep does, but only for these containers: a sweep would also remove those of others.
 */
async function removeOrphans(engine, provider, containers) {
  const found = await provider.findSandboxes();
  for (const { Id } of containers) {
    const sandbox = found.find(({ id }) => id === Id);
    // Another process may have swept meanwhile.
    if (sandbox === undefined) continue;
    assert.equal(sandbox.verdict, 'orphan', 'a sweep would not remove what the host did not start');
    await engine.remove(Id).catch(unlessGone);
  }
}

/** Runs a program and kills its sandbox, which may still be starting, or not exist yet. */
async function killInside({ engine, executor, random }, kill) {
  const before = new Set((await engine.look()).map(({ Id }) => Id));
  const program = PROGRAMS[random.integer(0, PROGRAMS.length - 1)];
  const key = random.integer(0, 1) === 1 ? { sessionKey: randomUUID() } : {};
  const running = executor.execute(program, { timeoutMs: RUN_LIMIT_MS, ...key }).then(
    ({ status, sessionOpen, sessionId }) => ({ end: status, sessionOpen, sessionId }),
    (error) => ({ end: error.code ?? `untyped: ${error.stack}` }),
  );
  await delay(random.integer(0, 800));
  let id;
  await untilTrue('there is a sandbox to kill', async () => {
    id = (await engine.look()).find(({ Id }) => !before.has(Id))?.Id;
    return id !== undefined;
  });
  await kill(engine, id);
  const killedAtMs = performance.now();
  const late = delay(RUN_LIMIT_MS, { end: 'unsettled' }, { ref: false });
  const { end, sessionOpen, sessionId } = await Promise.race([running, late]);
  const settledMs = performance.now() - killedAtMs;
  const when = `${settledMs.toFixed(0)} ms after the kill`;
  assert.ok(settledMs < SETTLED_WITHIN_MS, `${program}\nended with ${end} ${when}`);
  const ends = ['sandbox-lost', 'SANDBOX_START_FAILED', 'SANDBOX_LOST', 'CLOSED'];
  assert.ok(ends.includes(end), `${program}\nended with ${end}`);
  assert.ok(
    sessionOpen !== true,
    'the session of a sandbox whose process was killed is still open',
  );
  if (sessionId !== undefined) {
    assert.equal(
      await executor.sessionInfo({ id: sessionId }),
      undefined,
      'a session has lost its sandbox',
    );
  }
  await untilTrue('its container and its processes are gone', async () => {
    const containers = await engine.look();
    const isGone = containers.every(({ Id }) => Id !== id);
    return isGone && (await engine.countProcessesOf(id)) === 0;
  });
}

async function killSupervisor(engine, id) {
  const first = await started(engine, id);
  if (first !== 0) await killProcessOf(id, first);
}

async function killGuest(engine, id) {
  const first = await started(engine, id);
  if (first === 0) return;
  let guests = [];
  // Its supervisor forks it when it has started.
  await untilTrue('there is a guest to kill', async () => {
    guests = await childrenOf(first);
    return guests.length > 0;
  });
  await Promise.all(guests.map((guest) => killProcessOf(id, guest)));
}

async function killContainer(engine, id) {
  await started(engine, id);
  await engine.kill(id).catch(unlessGone);
}

/** Ignores that it has ended by itself, has only just started, or was removed by somebody else. */
function unlessGone(error) {
  if (![404, 409].includes(error.statusCode)) throw error;
}

/** The id of a container's first process; 0 if the container has ended before. */
async function started(engine, id) {
  let first = 0;
  await untilTrue('the container has started', async () => {
    try {
      first = await engine.firstProcessOf(id);
    } catch (error) {
      if (error.statusCode !== 404) throw error;
      // An engine lists a container that it is still creating, but does not know it yet.
      return (await engine.look()).every(({ Id }) => Id !== id);
    }
    return first !== 0;
  });
  return first;
}

async function childrenOf(id) {
  const text = await readFile(`/proc/${id}/task/${id}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** @throws Error if it does not become true in time. */
async function untilTrue(what, isTrue) {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new Error(`Not true within ${SETTLED_WITHIN_MS} ms: ${what}.`);
    }
    await delay(LOOK_INTERVAL_MS);
  }
}
