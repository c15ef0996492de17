// Kills something without warning at a random moment, and checks the effects.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LABELS } from '../../dist/providers/docker/container/container-config.js';
import { hostDies } from '../soak/host-dies.mjs';
import { processTree } from '../soak/leftovers.mjs';

/** Ends programs that nothing else ends, long after the kill. */
const RUN_LIMIT_MS = 60_000;
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

/** What can be killed in each kind of sandbox, and its weight. */
const INSIDE = [
  [{ name: 'supervisor', kill: (context) => killInside(context, killSupervisor) }, 3],
  [{ name: 'guest', kill: (context) => killInside(context, killGuest) }, 3],
  [{ name: 'container', kill: (context) => killInside(context, killContainer) }, 3],
];
export const KILLS = {
  docker: [[{ name: 'host', kill: killHost }, 3], ...INSIDE],
  // A pod waits half a minute for its host.
  kubernetes: [[{ name: 'host', kill: killHostOfPods }, 1], ...INSIDE],
};

/**
 * Kills a host that is a separate process. Its child processes must end with it; containers that
 * were not started yet remain for a sweep.
 */
async function killHost({ engine, provider, random, settledWithinMs }) {
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
  await untilTrue(
    'its containers are gone',
    async () => {
      const containers = await left();
      // The engine may still be about to create one that it was asked for.
      const unstarted = containers.filter(({ State }) => State === 'created');
      if (unstarted.length > 0) await removeOrphans(engine, provider, unstarted);
      return containers.length === 0;
    },
    settledWithinMs,
  );
}

/** Kills a host whose sandboxes are pods, which then end by themselves. */
async function killHostOfPods({ engine, random, settledWithinMs }) {
  const names = async () => (await engine.look()).map(({ Id }) => Id);
  const before = new Set(await names());
  const parameters = { providerName: 'kubernetes', random, children: processTree, onHost() {} };
  await hostDies(parameters);
  const areGone = async () => (await names()).every((name) => before.has(name));
  await untilTrue('its pods have ended', areGone, settledWithinMs);
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
async function killInside({ engine, executor, random, settledWithinMs }, kill) {
  const before = new Set((await engine.look()).map(({ Id }) => Id));
  const program = PROGRAMS[random.integer(0, PROGRAMS.length - 1)];
  const key = random.integer(0, 1) === 1 ? { sessionKey: randomUUID() } : {};
  const running = executor.execute(program, { timeoutMs: RUN_LIMIT_MS, ...key }).then(
    ({ status, sessionOpen, sessionId }) => ({ end: status, sessionOpen, sessionId }),
    (error) => ({ end: error.code ?? `untyped: ${error.stack}` }),
  );
  await delay(random.integer(0, 800));
  let id;
  await untilTrue(
    'there is a sandbox to kill',
    async () => {
      id = (await engine.look()).find(({ Id }) => !before.has(Id))?.Id;
      return id !== undefined;
    },
    settledWithinMs,
  );
  await kill(engine, id, settledWithinMs);
  const killedAtMs = performance.now();
  const late = delay(RUN_LIMIT_MS, { end: 'unsettled' }, { ref: false });
  const { end, sessionOpen, sessionId } = await Promise.race([running, late]);
  const settledMs = performance.now() - killedAtMs;
  const when = `${settledMs.toFixed(0)} ms after the kill`;
  assert.ok(settledMs < settledWithinMs, `${program}\nended with ${end} ${when}`);
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
  await untilTrue(
    'its container and its processes are gone',
    async () => {
      const containers = await engine.look();
      const isGone = containers.every(({ Id }) => Id !== id);
      return isGone && (await engine.countProcessesOf(id)) === 0;
    },
    settledWithinMs,
  );
}

async function killSupervisor(engine, id, withinMs) {
  const first = await started(engine, id, withinMs);
  if (first !== 0) await engine.killProcess(id, first);
}

async function killGuest(engine, id, withinMs) {
  const first = await started(engine, id, withinMs);
  if (first === 0) return;
  let guests = [];
  // Its supervisor forks it when it has started.
  await untilTrue(
    'there is a guest to kill',
    async () => {
      guests = await childrenOf(first);
      return guests.length > 0;
    },
    withinMs,
  );
  await Promise.all(guests.map((guest) => engine.killProcess(id, guest)));
}

async function killContainer(engine, id, withinMs) {
  await started(engine, id, withinMs);
  await engine.kill(id).catch(unlessGone);
}

/** Ignores that it has ended by itself, has only just started, or was removed by somebody else. */
function unlessGone(error) {
  if (![404, 409].includes(error.statusCode) && error.reason !== 'NotFound') throw error;
}

/** The id of a container's first process; 0 if the container has ended before. */
async function started(engine, id, withinMs) {
  let first = 0;
  await untilTrue(
    'the container has started',
    async () => {
      try {
        first = await engine.firstProcessOf(id);
      } catch (error) {
        if (error.statusCode !== 404 && error.reason !== 'NotFound') throw error;
        // An engine lists a container that it is still creating, but does not know it yet.
        return (await engine.look()).every(({ Id }) => Id !== id);
      }
      return first !== 0;
    },
    withinMs,
  );
  return first;
}

async function childrenOf(id) {
  const text = await readFile(`/proc/${id}/task/${id}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** @throws Error if it does not become true in time. */
async function untilTrue(what, isTrue, withinMs) {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new Error(`Not true within ${withinMs} ms: ${what}.`);
    }
    await delay(LOOK_INTERVAL_MS);
  }
}
